import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, test } from 'node:test';
import { pino } from 'pino';
import { days } from '#time';
import { orderOf, planIds, startApi, type OsbAnswer } from '../../api/testing.ts';
import { testContext, testSettings } from '../../testing.ts';
import { testJobs } from '../testing.ts';

const off = { ...testJobs.environmentsCleanup, devDomain: undefined };
const on = { ...testJobs.archiving, enabled: true };
const notice = {
  subaccounts: 'all',
  docsUrl: 'https://docs.example.com',
  period: days(14),
} as const;
const world = await startApi({
  settings: { jobs: { ...testJobs, environmentsCleanup: off, archiving: on } },
  api: {
    subaccountMovement: true,
    onlyOneTrialPerAccount: false,
    trialExpiration: notice,
    freeExpiration: notice,
  },
});
after(() => world[Symbol.asyncDispose]());
const { pool } = world.database;
const log = pino({ level: 'silent' });

const message = ({ body }: OsbAnswer) => String(body['error'] ?? body['description']);
const listed = async (path: string) => JSON.parse((await world.call('GET', path)).text) as unknown;
const run = (name: string, body: unknown = {}) => world.call('POST', `/jobs/${name}/run`, { body });
const expire = (id: string) => world.call('PUT', `/expire/service_instance/${id}`);
const trialOf = async (plan: 'trial' | 'free' = 'trial') =>
  (await world.instanceIn('ready', orderOf({ plan_id: planIds[plan] }))).id;

test('every job says what it is for, when it runs, and how its last run went', async () => {
  type Shown = { name: string; about: string; schedule: string; nextRunAt?: string };
  await world.jobs.startDue(log);
  const jobs = (await listed('/jobs')) as Shown[];
  assert.deepEqual(
    jobs.map(({ name }) => name),
    [
      'deprovision-retrigger',
      'trial-expiration',
      'free-expiration',
      'environments-cleanup',
      'subaccount-cleanup',
      'subscription-cleanup',
      'runtime-reconciler',
      'binding-cleanup',
      'archiving',
      'event-retention',
    ],
  );
  for (const { name, about, schedule, nextRunAt } of jobs) {
    assert.notEqual(about, '');
    assert.equal(schedule, '0 2 * * *');
    assert.equal(nextRunAt !== undefined, name === 'archiving');
  }
  assert.partialDeepStrictEqual(
    jobs.find(({ name }) => name === 'archiving'),
    { enabled: true, dryRun: false, settings: { keep: '30 d' } },
  );
});

test('a job is run by hand, and its history tells of it', async () => {
  const id = await trialOf();
  await pool.query(`update instances set created_at = now() - interval '20 days' where id = $1`, [
    id,
  ]);
  const ids: string[] = [];
  for (const dryRun of [true, false]) {
    const { status, body } = await run('trial-expiration', { dryRun });
    assert.equal(status, 202);
    assert.equal(body['runID'], body['operationID']);
    ids.push(String(body['runID']));
    await world.pass(String(body['operationID']));
  }
  const history = await listed('/jobs/trial-expiration/runs?page=1');
  const common = { job: 'trial-expiration', trigger: 'by hand', state: 'succeeded' };
  assert.partialDeepStrictEqual(history, {
    data: [
      {
        ...common,
        runID: ids[1],
        dryRun: false,
        summary: '1 suspended',
        counts: { suspended: 1 },
        entries: [{ subject: id, outcome: 'suspended' }],
      },
      { ...common, runID: ids[0], dryRun: true, summary: 'dry run: 1 candidate' },
    ],
    count: 2,
    totalCount: 2,
  });
  const jobs = (await listed('/jobs')) as { name: string; lastRun?: { runID: string } }[];
  assert.equal(jobs.find(({ name }) => name === 'trial-expiration')?.lastRun?.runID, ids[1]);

  const { text } = await world.call('GET', '/metrics');
  for (const line of [
    /kcp_broker_job_runs\{job="trial-expiration",state="succeeded"\} 2/,
    /kcp_broker_job_last_success_timestamp_seconds\{job="trial-expiration"\} \d/,
    /kcp_broker_job_last_run_seconds\{job="trial-expiration",state="succeeded"\} \d/,
    /kcp_broker_job_last_run_subjects\{job="trial-expiration",outcome="suspended"\} 1/,
  ])
    assert.match(text, line);
});

test('what cannot be run is refused, and says why', async () => {
  const subject = 'job:archiving';
  world.steering.set(`provision ${subject}`, 'hold');
  const { id } = await world.engine.start('provision', subject, {});
  for (const [name, body, status, why] of [
    ['nonsense', {}, 404, /there is no job nonsense \(known: deprovision-retrigger, /],
    ['archiving', { dryRun: 'yes' }, 400, /dryRun must be true or false, got/],
    ['archiving', { dry: true }, 400, /dry/],
    ['archiving', {}, 409, /archiving is running: it runs once at a time/],
    ['environments-cleanup', {}, 409, /kyma\.example\.com is not that of a development landscape/],
  ] as const) {
    const answer = await run(name, body);
    assert.equal(answer.status, status, answer.text);
    assert.match(message(answer), why);
  }
  assert.equal((await world.call('GET', '/jobs/nonsense/runs')).status, 404);
  assert.equal((await world.call('GET', '/jobs/archiving/runs?page=0')).status, 400);
  assert.partialDeepStrictEqual(await listed('/jobs/archiving/runs'), { totalCount: 0 });
  await world.release(id, `provision ${subject}`);
});

test('an instance of a plan that expires is expired by request, once and for good', async () => {
  for (const plan of ['trial', 'free'] as const) {
    const id = await trialOf(plan);
    const [one, two] = await Promise.all([expire(id), expire(id)]);
    assert.equal(one.status, 202, one.text);
    assert.equal(world.operationOf(one), world.operationOf(two));
    const ended = await world.pass(world.operationOf(one));
    assert.equal(ended.facts['temporary'], true);
    assert.equal(world.operationOf(await expire(id)), ended.id, 'it is suspended');
    assert.ok((await world.instance(id))?.expiredAt);

    const { body } = await world.get(id);
    assert.match(JSON.stringify(body['metadata']), /Your cluster has expired/);
    assert.match(JSON.stringify(body['metadata']), /"Status":"suspended"/);
    assert.equal((await world.delete(id)).status, 202);
  }
});

test('what does not expire, or does not exist, is not expired', async () => {
  const { id } = await world.instanceIn('ready');
  const refused = await expire(id);
  assert.equal(refused.status, 400);
  assert.match(message(refused), /of the plan azure: only instances of trial, free expire/);
  assert.equal((await world.instance(id))?.expiredAt, undefined);
  assert.equal((await expire(randomUUID())).status, 404);
});

test('what is being made or removed expires, too: a removal is enough', async () => {
  const order = orderOf({ plan_id: planIds.trial });
  const young = await world.instanceIn('provisioning', order);
  const suspension = world.operationOf(await expire(young.id));
  assert.equal((await world.pass(young.operation)).state, 'canceled');
  assert.equal((await world.pass(suspension)).facts['temporary'], true);

  const leaving = await world.instanceIn('deprovisioning', order);
  assert.equal(world.operationOf(await expire(leaving.id)), leaving.operation);
  const stuck = await world.instanceIn('deprovision failed', order);
  assert.equal(world.operationOf(await expire(stuck.id)), stuck.operation);
  assert.ok((await world.instance(stuck.id))?.expiredAt);
});

test('an expired instance takes no update, but goes with its subaccount', async () => {
  const id = await trialOf();
  await world.pass(world.operationOf(await expire(id)));
  for (const body of [
    {},
    { context: { active: true } },
    { context: { license_type: 'TRIAL' } },
    { context: {}, parameters: { administrators: ['a@example.com'] } },
    { context: { active: true }, parameters: { expired: true } },
  ]) {
    const answer = await world.patch(id, body);
    assert.equal(answer.status, 400, JSON.stringify(body));
    assert.match(message(answer), /^cannot update an expired instance/);
    assert.equal(answer.body['instance_usable'], false);
  }
  const again = await world.patch(id, {
    context: { active: false },
    parameters: { expired: true },
  });
  assert.deepEqual([again.status, again.body], [200, {}]);
  const context = { globalaccount_id: 'ga-elsewhere', license_type: 'IGNORED' };
  const moved = await world.patch(id, { context });
  assert.deepEqual([moved.status, moved.body], [200, {}]);
  const stored = await world.instance(id);
  assert.equal(stored?.globalAccount, 'ga-elsewhere');
  assert.equal(stored?.context.license_type, undefined);
});

test('a subaccount moves to another global account; the hyperscaler stays with the first', async () => {
  const { id } = await world.instanceIn('ready');
  const first = testContext.globalaccount_id;
  for (const account of ['ga-second', 'ga-third', first]) {
    const { status, text } = await world.patch(id, { context: { globalaccount_id: account } });
    assert.deepEqual([status, text], [200, '{}']);
    assert.partialDeepStrictEqual(await world.instance(id), {
      globalAccount: account,
      subscriptionAccount: first,
      context: { ...testContext, globalaccount_id: account },
    });
  }
  const refused = await world.patch(id, {
    context: { globalaccount_id: 'ga-fourth' },
    parameters: { nonsense: true },
  });
  assert.equal(refused.status, 400);
  assert.equal(
    (await world.instance(id))?.globalAccount,
    first,
    'nothing of a bad request is kept',
  );
});

test('without the setting, an instance stays in its account', async () => {
  const { id } = await world.instanceIn('ready'); // before there is another replica that could carry its operation
  await using fixed = await startApi({
    database: world.database,
    landscape: world.landscape,
    settings: testSettings,
  });
  const { status } = await fixed.patch(id, { context: { globalaccount_id: 'ga-second' } });
  assert.equal(status, 200);
  assert.partialDeepStrictEqual(await fixed.instance(id), {
    globalAccount: testContext.globalaccount_id,
    subscriptionAccount: undefined,
  });
});

test('whoever asks for the end of an instance gets it, also when nothing of it is left but its line', async () => {
  const { id } = await world.instanceIn('ready');
  const removal = world.operationOf(await world.delete(id));
  await world.pass(removal);
  await pool.query(`update archived_instances set removed_at = now() - interval '31 days'`);
  await world.pass(String((await run('archiving')).body['operationID']));
  assert.deepEqual(await world.engine.ofSubject(id), []);
  for (const query of ['', `operation=${removal}`, 'operation=deprovision']) {
    const { status, body } = await world.poll(id, query);
    assert.deepEqual([status, body], [200, { state: 'succeeded' }], query);
  }
  assert.equal((await world.poll(randomUUID())).status, 404);
  assert.equal((await world.delete(id)).status, 410);
  assert.equal((await world.put(id)).status, 202, 'the id is free');
});
