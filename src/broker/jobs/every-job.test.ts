import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { pino } from 'pino';
import { cisClient, gardenerClient } from '#clients';
import type { StoredOperation } from '#engine';
import { hours, minutes, type Milliseconds } from '#time';
import { eventually } from '../../database/testing.ts';
import { putVolume } from '../../clients/aws/testing.ts';
import { labelsOf, shootOf } from '../../clients/gardener/testing.ts';
import { accountsOf, beginBinding, clusterOf, signal, whatExists } from '../operations/testing.ts';
import { archivedInstances } from '../tables/archived-instances-table.ts';
import { btpCredentials, startBroker, testContext, testSettings } from '../testing.ts';
import { Jobs } from './jobs.ts';
import { subaccountCleanup } from './subaccount-cleanup.ts';

const log = pino({ level: 'silent' });
const settings = {
  limits: { ...testSettings.limits, deprovisioning: minutes(15) },
};
const first = await startBroker({ settings });
const { database, landscape } = first;
const second = await startBroker({ settings, database, landscape });
after(async () => {
  await second[Symbol.asyncDispose]();
  await first[Symbol.asyncDispose]();
});
const { pool } = database;
const { engine } = first;

const advance = (by: Milliseconds) => {
  first.advance(by);
  second.clock.advance(by);
};

/** Whichever replica carries it: lets time pass for it until it has ended. */
const finish = (id: string): Promise<StoredOperation> =>
  eventually(async () => {
    const found = (await engine.get(id)) ?? assert.fail();
    if (found.ended_at) return found;
    const left = (found.due_at?.getTime() ?? 0) - (Date.now() + first.clock.offset);
    if (found.claimed_by === null && left > 0) advance(left);
    return undefined;
  });

const lastOf = async (instanceId: string) =>
  (await engine.ofSubject(instanceId, 1))[0] ?? assert.fail();

async function provisioned(plan: string, order: Parameters<typeof first.order>[1] = {}) {
  const { instanceId, operationId } = await first.order(plan, order);
  const { state, description } = await finish(operationId);
  assert.equal(state, 'succeeded', description);
  return instanceId;
}

const removed = async (id: string, request: Parameters<typeof first.remove>[1] = {}) =>
  finish((await first.remove(id, request)).id);

/** Everything that a job could have changed. */
const snapshot = async () => {
  const { rows } = await pool.query(
    `select (select json_agg(i order by id) from instances i) as instances,
            (select json_agg(b order by id) from bindings b) as bindings,
            (select json_agg(o order by number) from operations o where type <> 'job') as operations,
            (select json_agg(a order by number) from archived_instances a) as archived,
            (select count(*) from step_runs s join operations o on o.id = s.operation_id where o.type <> 'job') as timeline`,
  );
  return { rows, world: whatExists(landscape) };
};

const runOf = async (id: string) => {
  await finish(id);
  await first.jobs.runs.settle(pool);
  const run = (await first.jobs.runs.get(pool, id)) ?? assert.fail();
  assert.equal(run.state, 'succeeded', run.summary);
  return run;
};

/** Says what it would do, and changes nothing. */
async function dryRun(name: string) {
  const job = first.jobs.find(name) ?? assert.fail(name);
  const before = await snapshot();
  const run = await runOf(await first.jobs.start(job, { dryRun: true }));
  assert.deepEqual(await snapshot(), before, 'a dry run has changed something');
  assert.equal(run.dry_run, true);
  return run.counts;
}

/** Due at the same second in two replicas, each of which looks twice: there is one run. */
async function night(name: string) {
  const job = first.jobs.find(name) ?? assert.fail(name);
  const replicas = [first, second].map(({ services, clock, engine: own }) => {
    const one = new Jobs(services, clock, [
      { ...job, settings: { ...job.settings, enabled: true } },
    ]);
    one.use(own);
    return one;
  });
  const look = async () =>
    (await Promise.all([...replicas, ...replicas].map((each) => each.startDue(log)))).flat();
  await pool.query(
    `insert into job_schedules (job, schedule, next_due_at) values ($1, $2, $3)
     on conflict (job) do update set next_due_at = excluded.next_due_at`,
    [name, job.settings.schedule, new Date(Date.now() - minutes(1))],
  );
  const [id = assert.fail('nobody has started it'), ...others] = await look();
  assert.deepEqual(others, [], 'started more than once');
  const run = await runOf(id);
  assert.equal(run.trigger, 'schedule');
  return run.counts;
}

const backdate = (id: string, days: number) =>
  pool.query(`update instances set created_at = now() - $2 * interval '1 day' where id = $1`, [
    id,
    days,
  ]);

const stepsOf = async ({ id }: StoredOperation, outcome: string) =>
  (await engine.timeline(id)).filter((line) => line.outcome === outcome).map(({ step }) => step);

test('deprovision-retrigger does exactly what removals have left behind, until nothing is left', async () => {
  const before = whatExists(landscape);
  const left = new Map<string, readonly string[]>();
  const outage = { kind: 'answer', status: 503 } as const;
  for (const [faults, steps] of [
    [
      [
        { system: 'avs', path: '^/(?!oauth)' },
        { system: 'reconciler', method: 'GET' },
      ],
      ['De-provision_AVS_Evaluations', 'Deregister_Cluster', 'Check_Cluster_Deregistration'],
    ],
    [
      [
        { system: 'edp', path: '^/(?!oauth)' },
        { system: 'provisioner', field: 'deprovisionRuntime' },
      ],
      ['EDP_Deregistration', 'Remove_Runtime', 'Check_Runtime_Removal', 'Release_Subscription'],
    ],
  ] as const) {
    const id = await provisioned('azure', {
      context: { globalaccount_id: `ga-${steps[0]}`, subaccount_id: `sa-${steps[0]}` },
    });
    const added = faults.map((where) => landscape.faults.add({ ...where, action: outage }));
    const { state, not_completed } = await removed(id);
    assert.equal(state, 'succeeded');
    assert.notDeepEqual(not_completed, []);
    for (const fault of added) landscape.faults.remove(fault);
    left.set(id, steps);
  }
  const trial = await provisioned('trial');
  const fault = landscape.faults.add({ system: 'ias', action: { kind: 'reset' } });
  await removed(trial, { temporary: true });
  landscape.faults.remove(fault);
  left.set(trial, ['IAS_Deregistration']);

  assert.deepEqual(await dryRun('deprovision-retrigger'), { candidate: 3 });
  assert.deepEqual(await night('deprovision-retrigger'), { accepted: 3 });
  for (const [id, steps] of left) {
    const operation = await finish((await lastOf(id)).id);
    assert.deepEqual(operation.not_completed, []);
    const done = await stepsOf(operation, 'done');
    assert.deepEqual(done, ['Init_Step', ...steps, 'Remove_Instance']);
    assert.equal((await first.instance(id)) === undefined, id !== trial);
  }
  assert.deepEqual(await night('deprovision-retrigger'), {});
  await removed(trial);
  assert.deepEqual(whatExists(landscape), before);
});

for (const [plan, days] of [
  ['trial', 14],
  ['free', 30],
] as const)
  test(`${plan}-expiration suspends what is older than ${days} days, for good`, async () => {
    const id = await provisioned(plan);
    const name = `${plan}-expiration`;
    await backdate(id, days - 1);
    assert.deepEqual(await night(name), {}, 'it is young enough');
    await backdate(id, days + 1);
    assert.deepEqual(await dryRun(name), { candidate: 1 });
    assert.deepEqual(await night(name), { suspended: 1 });
    const operation = await finish((await lastOf(id)).id);
    assert.equal(operation.facts['temporary'], true);
    const { expiredAt, ...instance } = (await first.instance(id)) ?? assert.fail();
    assert.ok(expiredAt);
    assert.partialDeepStrictEqual(instance, { runtimeId: undefined, context: { active: false } });
    assert.deepEqual(await night(name), {});

    // A suspension that could not be finished is taken up again.
    await pool.query('update instances set runtime_id = $2 where id = $1', [id, 'left-behind']);
    assert.deepEqual(await night(name), { suspended: 1 });
    await finish((await lastOf(id)).id);
    await removed(id);
  });

test('subaccount-cleanup removes the instances of deleted subaccounts, whichever service tells of them', async () => {
  const deleted = ['sa-gone-1', 'sa-gone-2', 'sa-gone-3'];
  const subaccounts = ['sa-gone-1', 'sa-gone-3', 'sa-stays'];
  const ids: string[] = [];
  for (const subaccount_id of subaccounts)
    ids.push(
      await provisioned('aws', {
        context: { globalaccount_id: `ga-cis-${ids.length}`, subaccount_id },
      }),
    );
  const told = await fetch(`${landscape.url}/cis/_landscape/events`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ subaccountIds: deleted }),
  });
  assert.equal(told.status, 204);

  const job = first.jobs.find('subaccount-cleanup') ?? assert.fail();
  for (const version of ['v1.0', 'v2.0', 'v2.0-cursor'] as const) {
    const cis = cisClient({
      url: `${landscape.url}/cis`,
      authUrl: `${landscape.url}/cis/oauth/token`,
      clientId: 'broker',
      clientSecret: 'any',
      version,
      pageSize: 1,
    });
    const found: string[] = [];
    let cursor: string | undefined;
    const context = {
      runId: version,
      dryRun: true,
      get after() {
        return cursor;
      },
      now: new Date(),
      services: { ...first.services, engine },
      signal,
      log,
      isEnough: () => false,
      each: async (next: string, work: (db: never) => Promise<{ subject: string } | undefined>) => {
        const entry = await work(undefined as never); // a dry run asks for nothing
        if (entry) found.push(entry.subject);
        cursor = next;
      },
    };
    assert.equal(await subaccountCleanup(job.settings, cis).run(context), 'through');
    assert.deepEqual(found.toSorted(), ids.slice(0, 2).toSorted(), version);
  }

  assert.deepEqual(await dryRun('subaccount-cleanup'), { candidate: 2 });
  assert.deepEqual(await night('subaccount-cleanup'), { accepted: 2 });
  for (const id of ids.slice(0, 2)) {
    const operation = await finish((await lastOf(id)).id);
    assert.equal(operation.facts['userAgent'], 'accountcleanup-job');
    assert.ok((await stepsOf(operation, 'done')).includes('BTPOperator_Cleanup'));
    assert.equal(await first.instance(id), undefined);
  }
  assert.deepEqual(await night('subaccount-cleanup'), {});
  await removed(ids[2] ?? '');
});

test('subscription-cleanup empties released accounts and gives them back; what it cannot clean stays away', async () => {
  const { accounts, azure, azureAccount, aws, awsAccount } = first.services.clients;
  const tenantName = 'ga-dirty';
  const release = async (hyperscalerType: string) => {
    const owner = { tenantName, hyperscalerType, euAccess: false };
    const secret = await accounts.claim(owner, signal);
    assert.equal(await accounts.release(owner, signal), 'released');
    return secret;
  };
  // Others have released theirs in the tests before.
  const earlier = (await accounts.released(signal)).length;
  for (const { name } of await accounts.released(signal)) await accounts.giveBack(name, signal);
  assert.deepEqual([...(await accounts.released(signal)), earlier > 0], [true]);

  const [onAzure, onAws, onGcp, onOpenstack] = [
    await release('azure'),
    await release('aws'),
    await release('gcp'),
    await release('openstack'),
  ];
  const credentials = (await azureAccount(onAzure, signal)) ?? assert.fail();
  const subscription = azure.subscription(credentials);
  await subscription.putGroup({ name: 'forgotten', location: 'westeurope', tags: {} }, signal);
  const ec2 = aws.ec2((await awsAccount(onAws, signal)) ?? assert.fail());
  await putVolume(landscape, 'vol-forgotten', { region: 'us-east-1' });
  await putVolume(landscape, 'vol-used', { region: 'eu-west-1', state: 'in-use' });

  const job = 'subscription-cleanup';
  assert.deepEqual(await dryRun(job), { candidate: 2, failed: 1, skipped: 1 });
  const begun = { 'being cleaned': 1, failed: 1, 'given back': 1, skipped: 1 };
  assert.deepEqual(await night(job), begun);
  // Somebody still works there, so nothing was touched.
  const forgotten = { id: 'vol-forgotten', state: 'available' };
  assert.deepEqual(await ec2.volumes('us-east-1', signal), [forgotten]);
  await putVolume(landscape, 'vol-used', { region: 'eu-west-1' });
  assert.deepEqual(await night(job), { 'being cleaned': 2, skipped: 1 });
  for (const name of [onAzure, onAws]) assert.equal(labelsOf(landscape, name)?.['dirty'], 'true');
  advance(hours(1));
  assert.deepEqual(await night(job), { 'given back': 2, skipped: 1 });
  assert.deepEqual(await subscription.allGroups(signal), []);
  for (const region of await ec2.regions(signal))
    assert.deepEqual(await ec2.volumes(region, signal), [], region);
  for (const name of [onAzure, onAws, onGcp])
    assert.equal(labelsOf(landscape, name)?.['dirty'], undefined, name);
  assert.deepEqual(accountsOf(landscape, tenantName), [{ name: onOpenstack, isReleased: true }]);
});

test('runtime-reconciler puts back credentials that are lost or changed, unless nobody shall', async () => {
  const ids: string[] = [];
  for (const n of [0, 1, 2])
    ids.push(
      await provisioned('azure', {
        context: { globalaccount_id: `ga-btp-${n}`, sm_operator_credentials: btpCredentials() },
      }),
    );
  const path = '/api/v1/namespaces/kyma-system/secrets/sap-btp-manager';
  const change = async (id: string, body: object) =>
    (await clusterOf(first, id)).request({
      method: 'PATCH',
      path,
      contentType: 'application/merge-patch+json',
      body,
      what: 'change the credentials',
      signal,
    });
  const other = { data: { clientid: Buffer.from('another').toString('base64') } };
  const [changed = '', lost = '', leftAlone = ''] = ids;
  await change(changed, other);
  await (
    await clusterOf(first, lost)
  ).request({ method: 'DELETE', path, what: 'lose them', signal });
  const labels = { 'kyma-project.io/skip-reconciliation': 'true' };
  await change(leftAlone, { ...other, metadata: { labels } });

  const job = 'runtime-reconciler';
  assert.deepEqual(await dryRun(job), { candidate: 2, 'left alone': 1 });
  assert.deepEqual(await night(job), { overwritten: 1, created: 1, 'left alone': 1 });
  assert.deepEqual(await night(job), { equal: 2, 'left alone': 1 });

  const fault = landscape.faults.add({
    system: 'provisioner',
    path: 'sap-btp-manager',
    action: { kind: 'answer', status: 503 },
  });
  assert.deepEqual(await night(job), { failed: 3 });
  landscape.faults.remove(fault);
  for (const id of ids) await removed(id);
});

test('binding-cleanup removes bindings that could not end by themselves', async () => {
  const id = await provisioned('azure', { context: { globalaccount_id: 'ga-bindings' } });
  for (const each of ['forgotten', 'ending', 'good']) {
    await finish(await beginBinding(first, id, each));
    // Its end waits for its time by now.
    await eventually(async () => {
      const [last = assert.fail()] = await engine.ofSubject(`binding:${each}`, 1);
      return engine.explain(last).activity === 'waiting';
    });
  }
  await pool.query(`update bindings set expires_at = now() - interval '1 hour' where id <> 'good'`);
  const [expiry = assert.fail()] = await engine.ofSubject('binding:forgotten');
  await engine.cancel(expiry.id, 'its cluster could not be entered for a day');

  assert.deepEqual(await dryRun('binding-cleanup'), { candidate: 1, skipped: 1 });
  assert.deepEqual(await night('binding-cleanup'), { accepted: 1, skipped: 1 });
  const [removal = assert.fail()] = await engine.ofSubject('binding:forgotten');
  assert.deepEqual([removal.type, (await finish(removal.id)).state], ['unbind', 'succeeded']);
  const { rows } = await pool.query<{ id: string }>('select id from bindings order by id');
  assert.deepEqual(
    rows.map((row) => row.id),
    ['ending', 'good'],
  );
  await removed(id);
});

test('environments-cleanup removes what is old, whoever made it, unless it is labelled', async () => {
  const kubeconfig = await (await fetch(`${landscape.url}/gardener/kubeconfig`)).text();
  const { shoots } = gardenerClient({ kubeconfig, project: 'kyma' });
  const make = (name: string, labels = {}, annotations = {}) =>
    shoots.apply({ ...shootOf(name), metadata: { name, labels, annotations } }, signal);
  const runtimes: string[] = [];
  const ids: string[] = [];
  for (const account of ['ga-environment', 'ga-orphan']) {
    const id = await provisioned('azure', { context: { globalaccount_id: account } });
    const runtimeId = (await first.instance(id))?.runtimeId ?? assert.fail();
    // The landscape's provisioner makes no Shoots.
    await make(
      `of-${account}`,
      { account },
      { 'kcp.provisioner.kyma-project.io/runtime-id': runtimeId },
    );
    ids.push(id);
    runtimes.push(runtimeId);
  }
  const [owned = '', orphan = ''] = ids;
  await pool.query('delete from instances where id = $1', [orphan]);
  await make('by-hand');
  await make('kept', { 'owner.do-not-delete': 'true' });

  const job = 'environments-cleanup';
  assert.deepEqual(await dryRun(job), {}, 'they are young');
  advance(hours(25));
  await make('young');
  assert.deepEqual(await dryRun(job), { candidate: 3 });
  assert.deepEqual(await night(job), { accepted: 3 });
  await finish((await lastOf(owned)).id);
  advance(hours(2));
  const left = (await shoots.list(signal)).map(({ metadata }) => metadata.name);
  assert.ok(left.includes('kept') && left.includes('young') && !left.includes('by-hand'));
  assert.equal(await first.instance(owned), undefined);
  const all = landscape.inventory()['provisioner']?.['runtimes'] as { id: string }[]; // as the inventory lists them
  for (const runtimeId of runtimes) assert.ok(!JSON.stringify(all).includes(runtimeId));
});

test('archiving removes the operations of instances that went long ago; a line of each stays', async () => {
  const context = { globalaccount_id: 'ga-archive', user_id: 'Somebody@SAP.com' };
  const old = await provisioned('azure', { context });
  const { runtimeId, shootName } = (await first.instance(old)) ?? assert.fail();
  await finish(await beginBinding(first, old, 'of-the-old'));
  await removed(old);
  const { rows } = await pool.query('select * from archived_instances where instance_id = $1', [
    old,
  ]);
  assert.equal(rows.length, 1);
  assert.partialDeepStrictEqual(rows[0], {
    global_account: 'ga-archive',
    subaccount: testContext.subaccount_id,
    plan_name: 'azure',
    last_runtime_id: runtimeId,
    shoot_name: shootName,
    is_internal_user: true,
    provisioning_state: 'succeeded',
  });
  const another = await provisioned('azure', { context, instanceId: old });
  await pool.query(
    `update archived_instances set removed_at = now() - interval '31 days' where instance_id = $1`,
    [old],
  );

  await pool.query(
    `update operations set ended_at = ended_at - interval '31 days' where subject = 'binding:of-the-old'`,
  );

  assert.deepEqual(await dryRun('archiving'), { candidate: 1 });
  assert.deepEqual(await night('archiving'), { archived: 1, 'operations of bindings removed': 2 });
  const kept = await engine.ofSubject(old);
  assert.deepEqual(
    kept.map(({ type }) => type),
    ['provision'],
    'that of the new instance',
  );
  assert.deepEqual(await engine.ofSubject('binding:of-the-old'), []);
  assert.deepEqual(await night('archiving'), {});
  assert.ok(await archivedInstances.has(pool, old));
  await removed(another);
});

test('event-retention removes timelines and runs of long ago, and keeps what became of operations', async () => {
  const { operationId } = await first.order('azure', {
    context: { globalaccount_id: 'ga-events' },
  });
  const { subject } = await finish(operationId);
  const lines = (await engine.timeline(operationId)).length;
  assert.ok(lines > 10);
  const { rows } = await pool.query<{ runs: number }>(
    `select count(*)::int as runs from operations where type = 'job' and ended_at is not null`,
  );
  await pool.query(
    `update operations set ended_at = ended_at - interval '15 days' where id = $1 or type = 'job'`,
    [operationId],
  );
  await pool.query(
    `update job_runs set ended_at = ended_at - interval '15 days' where ended_at is not null`,
  );
  const { counts } = await runOf(
    await first.jobs.start(first.jobs.find('event-retention') ?? assert.fail(), { dryRun: true }),
  );
  assert.ok((counts['candidate'] ?? 0) > lines);
  const { 'events removed': events = 0, 'runs of jobs removed': runs } =
    await night('event-retention');
  assert.ok(events > lines);
  assert.equal(runs, rows[0]?.runs);
  assert.deepEqual(await engine.timeline(operationId), []);
  assert.equal((await engine.get(operationId))?.state, 'succeeded');
  const { total } = await first.jobs.runs.list(pool, 'archiving', { page: 1, size: 10 });
  assert.equal(total, 1, 'of each job the newest');
  await removed(subject);
});
