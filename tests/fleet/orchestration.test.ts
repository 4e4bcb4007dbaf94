import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, test } from 'node:test';
import { days, hours } from '#time';
import { eventually } from '../../src/database/testing.ts';
import {
  of,
  seed,
  startFleet,
  alike,
  timesUpgraded,
  withRuntimes,
  type Item,
  type Seed,
} from './fleet-world.ts';

const world = await startFleet();
after(() => world[Symbol.asyncDispose]());

const preview = async (body: object): Promise<{ data: Item[]; skipped: Item[] }> => {
  const { body: answer, text } = await world.call('POST', '/orchestrations/preview', { body });
  assert.ok(Array.isArray(answer['data']), text);
  return answer as unknown as { data: Item[]; skipped: Item[] }; // as the API answers
};

test('every runtime that is meant is upgraded once, as many at a time as there are workers', async () => {
  const ids = await withRuntimes(world, 5, { account: 'all' });
  const id = await world.orchestrate('cluster', {
    targets: of('all'),
    strategy: { parallel: { workers: 2 } },
    kubernetes: { kubernetesVersion: '1.27.4' },
  });
  const underWay = await world.until(id, /^2 of 2 under way$/);
  assert.deepEqual([underWay.state, underWay.progress['inProgress']], ['in progress', 2]);
  const { state, progress, description, operationStats, report } = await world.ended(id);
  assert.deepEqual([state, description], ['succeeded', '5 of 5 upgrades succeeded']);
  assert.partialDeepStrictEqual(progress, { total: 5, succeeded: 5, pending: 0, inProgress: 0 });
  assert.partialDeepStrictEqual(operationStats, { succeeded: 5, failed: 0 });
  assert.partialDeepStrictEqual(report, { touched: 5, untouched: 0, failures: [] });
  const times = await timesUpgraded(world);
  assert.deepEqual(
    ids.map((each) => times.get(each)),
    [1, 1, 1, 1, 1],
  );
  const [first] = await world.operations(id, '?state=succeeded&page_size=1');
  const one = `/orchestrations/${id}/operations/${first?.operationID}`;
  const { body: detail } = await world.call('GET', one);
  assert.partialDeepStrictEqual(detail, {
    orchestrationID: id,
    globalAccountID: 'all',
    servicePlanName: 'azure',
    state: 'succeeded',
    clusterConfig: { kubernetesVersion: '1.27.4' },
  });
  assert.equal((await world.engine.get(first?.operationID ?? ''))?.facts['orchestrationId'], id);
});

const house: readonly Seed[] = [
  { id: 'sel-1', account: 'sel-one', subaccount: 'sub-a', region: 'eu-central-1', plan: 'aws' },
  { id: 'sel-2', account: 'sel-one', subaccount: 'sub-b', region: 'us-east-1', plan: 'aws' },
  { id: 'sel-3', account: 'sel-two', subaccount: 'sub-a', region: 'westeurope', plan: 'azure' },
  {
    id: 'sel-4',
    account: 'sel-two',
    subaccount: 'sub-b',
    region: 'eastus',
    plan: 'trial',
    shoot: 'c-four',
  },
  {
    id: 'sel-5',
    account: 'sel-three',
    subaccount: 'sub-c',
    region: 'europe-west3',
    runtimeId: 'rt-five',
  },
];
await seed(world, house);
const inHouse = { globalAccount: '^sel-' };

for (const [what, include, exclude, expected] of [
  ['a global account', [{ globalAccount: 'sel-one' }], [], '1 2'],
  ['an expression for accounts', [{ globalAccount: 'sel-t.*' }], [], '3 4 5'],
  ['a subaccount', [{ subAccount: '^sub-a$' }], [], '1 3'],
  ['an expression for regions', [{ ...inHouse, region: 'europe|eu-' }], [], '1 3 5'],
  ['a plan', [{ ...inHouse, planName: 'aws' }], [], '1 2'],
  ['a plan is no expression', [{ ...inHouse, planName: 'aw.' }], [], ''],
  ['a Shoot', [{ shoot: 'c-four' }], [], '4'],
  ['an instance', [{ instanceID: 'sel-2' }], [], '2'],
  ['a runtime, whatever else is said', [{ runtimeID: 'rt-five', planName: 'aws' }], [], '5'],
  ['all that is said of one selector', [{ globalAccount: 'sel-one', region: 'us-' }], [], '2'],
  [
    'what several selectors want, once',
    [{ globalAccount: 'sel-one' }, { ...inHouse, planName: 'aws' }, { shoot: 'c-four' }],
    [],
    '1 2 4',
  ],
  ['all but those that are excluded', [inHouse], [{ planName: 'aws' }, { shoot: 'c-four' }], '3 5'],
  ['nobody, if all are excluded', [inHouse], [{ target: 'all' }], ''],
  ['all, with other words', [{ target: 'all', ...inHouse }], [], '1 2 3 4 5'],
  ['all that is left, for an empty selector', [{}], [{ globalAccount: '^(?!sel-)' }], '1 2 3 4 5'],
] as const) {
  test(`targets: ${what}`, async () => {
    const { data } = await preview({ targets: { include, exclude } });
    const found = data.map(({ instanceID }) => instanceID.replace('sel-', '')).toSorted();
    assert.equal(found.join(' '), expected);
  });
}

test('runtimes that cannot be upgraded now are left out, and the preview says why', async () => {
  const account = 'unfit';
  const [removed = '', suspended = '', failed = '', none = ''] = await seed(world, [
    { account },
    { account },
    { account },
    { account, runtimeId: null },
  ]);
  const operation = (subject: string, type: string, state: string, facts = '{}') =>
    world.database.pool.query(
      `insert into operations (id, type, subject, state, facts, created_at, updated_at, started_at, ended_at)
       values ($1, $2, $3, $4, $5, now(), now(), now(), now())`,
      [randomUUID(), type, subject, state, facts],
    );
  await operation(removed, 'provision', 'succeeded');
  await operation(removed, 'deprovision', 'failed');
  await operation(suspended, 'deprovision', 'succeeded', '{"temporary": true}');
  await operation(failed, 'provision', 'failed');
  const { data, skipped } = await preview({ targets: of(account) });
  assert.deepEqual(data, []);
  assert.deepEqual(Object.fromEntries(skipped.map((each) => [each.instanceID, each.because])), {
    [removed]: 'the instance is being deprovisioned',
    [suspended]: 'the instance is suspended',
    [failed]: 'its provisioning is failed',
    [none]: 'the instance has no runtime',
  });
});

test('a preview stores nothing, and tells the waves as they will be', async () => {
  await seed(world, alike(10, { account: 'preview' }));
  const count = async () => (await world.call('GET', '/orchestrations')).body['totalCount'];
  const before = await count();
  const strategy = { schedule: '2126-01-01T00:00:00Z', waves: [{ size: 1 }, { percent: 20 }] };
  const body = { targets: of('preview'), strategy };
  const { data } = await preview(body);
  assert.deepEqual(
    data.map(({ wave }) => wave),
    [1, 2, 2, 3, 3, 3, 3, 3, 3, 3],
  );
  const { body: other } = await world.call('POST', '/upgrade/kyma?preview=true', { body });
  assert.deepEqual(other['data'], data);
  assert.equal(await count(), before);
  const id = await world.orchestrate('kyma', body);
  await world.until(id, /scheduled for/);
  const planned = await world.operations(id);
  assert.deepEqual(
    planned.map(({ instanceID, wave }) => [instanceID, wave]),
    data.map(({ instanceID, wave }) => [instanceID, wave]),
  );
  await world.put(id, 'cancel');
  await world.ended(id);
});

test('a scheduled orchestration follows the runtimes that come and go, and begins at its time', async () => {
  const account = 'scheduled';
  const [stays = ''] = await withRuntimes(world, 1, { account });
  const [goes = ''] = await seed(world, [{ account }]);
  const { pool } = world.database;
  const now = await world.services.fleet.orchestrations.now(pool);
  const schedule = new Date(now.getTime() + hours(1)).toISOString();
  const id = await world.orchestrate('cluster', { targets: of(account), strategy: { schedule } });
  const waiting = await world.until(id, /it is scheduled for/);
  assert.deepEqual([waiting.state, waiting.description], ['pending', 'Scheduled 2 operations']);
  assert.equal(waiting.parameters.strategy['ScheduleTime'], schedule);

  const [comes = ''] = await withRuntimes(world, 1, { account });
  await pool.query('delete from instances where id = $1', [goes]);
  const { state } = await world.ended(id);
  assert.equal(state, 'succeeded');
  const operations = await world.operations(id);
  const states = new Map(operations.map((each) => [each.instanceID, each.state]));
  assert.deepEqual(
    [states.get(stays), states.get(comes), states.get(goes)],
    ['succeeded', 'succeeded', 'canceled'],
  );
  const began = await pool.query<{ first: Date }>(
    `select min(created_at) as first from operations where facts ->> 'orchestrationId' = $1 and type = 'upgradeCluster'`,
    [id],
  );
  assert.ok((began.rows[0]?.first ?? new Date(0)) >= new Date(schedule));
});

test('with nobody to upgrade an orchestration succeeds at once', async () => {
  const id = await world.orchestrate('kyma', {
    targets: of('nobody'),
    strategy: { schedule: 'now' },
  });
  const { state, description } = await world.ended(id);
  assert.deepEqual([state, description], ['succeeded', 'there was nothing to upgrade']);
});

test('a canceled orchestration begins nothing more, lets end what has begun, and stays as it is', async () => {
  const ids = await withRuntimes(world, 3, { account: 'canceled' });
  const id = await world.orchestrate('cluster', { targets: of('canceled') });
  await world.until(id, /^1 of 1 under way/);
  assert.deepEqual((await world.put(id, 'cancel')).body, { orchestrationID: id });
  const between = await world.status(id);
  assert.deepEqual(
    [between.state, between.description],
    ['canceling', 'Orchestration was canceled'],
  );
  const { state, progress } = await world.ended(id);
  assert.equal(state, 'canceled');
  assert.partialDeepStrictEqual(progress, { succeeded: 1, canceled: 2, inProgress: 0 });
  const times = await timesUpgraded(world);
  assert.equal(ids.filter((each) => times.has(each)).length, 1);
  assert.equal((await world.put(id, 'cancel')).status, 200);
  assert.equal((await world.status(id)).state, 'canceled');
  for (const what of ['pause', 'resume']) assert.equal((await world.put(id, what)).status, 409);
  assert.equal((await world.retry(id)).status, 409);
});

test('an orchestration is not canceled by whoever may only cancel operations', async () => {
  const now = await world.services.fleet.orchestrations.now(world.database.pool);
  const schedule = new Date(now.getTime() + days(1)).toISOString();
  const id = await world.orchestrate('cluster', {
    targets: of('far ahead'),
    strategy: { schedule },
  });
  const { operationID } = await world.status(id);
  for (const [act, body] of [
    ['cancel', { because: 'no' }],
    ['skip', { because: 'no', step: 'Upgrade_Runtimes' }],
  ] as const) {
    const answer = await world.call('POST', `/operations/${operationID}/${act}`, { body });
    assert.equal(answer.status, 409);
    assert.match(String(answer.body['error']), new RegExp(`PUT /orchestrations/${id}/pause`));
  }
  assert.equal((await world.put(id, 'cancel')).status, 200);
  assert.equal((await world.ended(id)).state, 'canceled');
});

test('a paused orchestration begins nothing until it is resumed', async () => {
  const ids = await withRuntimes(world, 3, { account: 'paused' });
  const id = await world.orchestrate('cluster', { targets: of('paused') });
  await world.until(id, /^1 of 1 under way/);
  assert.equal((await world.put(id, 'pause')).status, 200);
  assert.equal((await world.put(id, 'pause')).status, 200);
  const paused = await world.until(id, /^paused: by an operator; 0 under way/);
  assert.deepEqual([paused.state, paused.pausedBecause], ['paused', 'by an operator']);
  assert.partialDeepStrictEqual(paused.progress, { succeeded: 1, pending: 2 });
  world.advance(hours(100));
  assert.equal((await world.status(id)).progress['pending'], 2);
  assert.equal((await world.put(id, 'resume')).status, 200);
  assert.equal((await world.ended(id)).state, 'succeeded');
  const times = await timesUpgraded(world);
  assert.deepEqual(
    ids.map((each) => times.get(each)),
    [1, 1, 1],
  );
});

test('waves follow each other, each when the one before is through and the soak time is over', async () => {
  await withRuntimes(world, 4, { account: 'waves' });
  const id = await world.orchestrate('cluster', {
    targets: of('waves'),
    strategy: { parallel: { workers: 10 }, waves: [{ size: 1 }, { percent: 25 }], waveSoak: '1h' },
  });
  await world.until(id, /^wave 1 of 3: 1 of 10 under way$/);
  const soaking = await world.until(id, /^wave 2 of 3: begins at .*, if all stays well$/);
  assert.partialDeepStrictEqual(soaking.progress, { succeeded: 1, pending: 3, inProgress: 0 });
  await world.until(id, /^wave 3 of 3: 2 of 10 under way$/);
  assert.equal((await world.ended(id)).state, 'succeeded');
  const { rows } = await world.database.pool.query<{ wave: number; begun: Date; ended: Date }>(
    `select u.wave, min(o.created_at) as begun, max(o.ended_at) as ended from orchestration_operations u
       join operations o on o.id = u.operation_id where u.orchestration_id = $1 group by 1 order by 1`,
    [id],
  );
  assert.equal(rows.length, 3);
  for (const [index, { begun }] of rows.entries()) {
    const before = rows[index - 1]?.ended;
    if (before) assert.ok(begun.getTime() - before.getTime() >= hours(1));
  }
});

test('failed upgrades are tried again: all, some, and neither unknown ones nor those that others came after', async () => {
  const account = 'retried';
  const [good = ''] = await withRuntimes(world, 1, { account });
  const bad = await seed(world, [{ account }, { account }, { account }]);
  const id = await world.orchestrate('cluster', {
    targets: of(account),
    strategy: { parallel: { workers: 5 } },
  });
  const failed = await world.ended(id);
  assert.deepEqual(
    [failed.state, failed.description],
    ['failed', '1 of 4 upgrades succeeded, 3 failed'],
  );
  const [group] = failed.report.failures;
  assert.partialDeepStrictEqual(group, {
    count: 3,
    step: 'Upgrade_Cluster',
    runtimes: bad.toSorted(),
  });
  const operationOf = new Map(
    (await world.operations(id)).map((each) => [each.instanceID, each.operationID]),
  );
  const idOf = (instance = '') => operationOf.get(instance) ?? '';

  const nothing = await world.retry(id, [
    ['operation-id', idOf(good)],
    ['operation-id', 'op-unknown'],
  ]);
  assert.equal(nothing.status, 202);
  assert.deepEqual(nothing.body, {
    orchestrationID: id,
    retryShoots: null,
    oldOperations: null,
    invalidOperations: [idOf(good), 'op-unknown'],
    msg: `No valid operations to retry for orchestration ${id}`,
  });

  await withRuntimes(world, bad.slice(0, 2));
  const some = await world.retry(id, [['operation-id', idOf(bad[0])]]);
  assert.partialDeepStrictEqual(some.body, { msg: 'retry operations are queued for processing' });
  assert.equal((some.body['retryShoots'] as string[]).length, 1);
  const again = await world.ended(id);
  assert.deepEqual(
    [again.state, again.description],
    ['failed', '2 of 4 upgrades succeeded, 2 failed'],
  );
  assert.partialDeepStrictEqual(again.operationStats, { succeeded: 2, failed: 2, retrying: 0 });

  // Somebody has upgraded one of them by hand.
  const byHand = await world.call('POST', `/upgrade/cluster/${bad[1]}`, { body: {} });
  await world.pass(world.operationOf(byHand));
  await withRuntimes(world, bad.slice(2));
  const rest = await world.retry(id, [['immediate', 'true']]);
  assert.deepEqual(rest.body['oldOperations'], [idOf(bad[1])]);
  assert.equal((rest.body['retryShoots'] as string[]).length, 1);
  const last = await world.ended(id);
  assert.deepEqual(
    [last.state, last.description],
    ['failed', '3 of 4 upgrades succeeded, 1 failed'],
  );
  const times = await timesUpgraded(world);
  assert.deepEqual(
    [good, ...bad].map((each) => times.get(each)),
    [1, 1, 1, 1],
  );
  const attempts = (await world.operations(id)).filter(({ instanceID }) => instanceID === bad[0]);
  assert.deepEqual(
    attempts.map(({ attempt, state }) => [attempt, state]),
    [
      [1, 'failed'],
      [2, 'succeeded'],
    ],
  );
});

test('a failed upgrade can be retried while the others go on', async () => {
  const account = 'retried-meanwhile';
  await withRuntimes(world, 2, { account });
  const [bad = ''] = await seed(world, [{ account }]);
  const strategy = { parallel: { workers: 3 } };
  const id = await world.orchestrate('cluster', { targets: of(account), strategy });
  const { progress } = await world.until(id, /^2 of 3 under way/);
  assert.partialDeepStrictEqual(progress, { failed: 1, inProgress: 2 });
  await withRuntimes(world, [bad]);
  assert.equal((await world.retry(id)).status, 202);
  assert.equal((await world.status(id)).operationStats['retrying'], 1);
  const last = await world.ended(id);
  assert.equal(last.state, 'succeeded');
  assert.match(last.description, /^3 of 3 upgrades succeeded$/);
  assert.partialDeepStrictEqual(last.progress, { total: 3, succeeded: 3, failed: 0 });
});

test('a dry run asks for nothing', async () => {
  const ids = await withRuntimes(world, 2, { account: 'dry' });
  const body = { targets: of('dry'), dryRun: true, strategy: { parallel: { workers: 2 } } };
  const id = await world.orchestrate('cluster', body);
  assert.equal((await world.ended(id)).state, 'succeeded');
  const [first] = await world.operations(id);
  assert.match(first?.description ?? '', /^dry run: the provisioner would be asked/);
  const times = await timesUpgraded(world);
  assert.ok(ids.every((each) => !times.has(each)));
});

test('a runtime that is being removed, or busy with another upgrade, gives way', async () => {
  const account = 'busy';
  await withRuntimes(world, 3, { account });
  const id = await world.orchestrate('cluster', {
    targets: of(account),
    kubernetes: { kubernetesVersion: '1.27.4' },
  });
  await world.until(id, /^1 of 1 under way/);
  await world.put(id, 'pause');
  await world.until(id, /^paused: .*; 0 under way/);
  const [, removed, busy] = await world.operations(id);
  const hand = await world.call('POST', `/upgrade/cluster/${busy?.instanceID}`, { body: {} });
  const removal = await world.remove(removed?.instanceID ?? '');
  await world.put(id, 'resume');
  assert.equal((await world.ended(id)).state, 'succeeded');
  const [, first, second] = await world.operations(id);
  assert.equal(first?.description, `operation preempted by deprovisioning ${removal.id}`);
  assert.equal(second?.state, 'succeeded');
  const byHand = await world.engine.get(world.operationOf(hand));
  const ours = await world.engine.get(second.operationID);
  assert.equal(byHand?.state, 'succeeded');
  assert.ok((ours?.created_at ?? 0) >= (byHand.ended_at ?? Infinity));
  assert.equal((await timesUpgraded(world)).get(second.instanceID), 2);
});

test('the end of an upgrade has its orchestration look at once, though its next look is far away', async () => {
  await seed(world, [{ account: 'woken' }]);
  const { offset } = world.clock;
  const id = await world.orchestrate('cluster', { targets: of('woken') });
  await eventually(async () => (await world.status(id)).state === 'failed');
  assert.equal(world.clock.offset, offset);
});

test('who looks at an orchestration is told of each change until its end', async () => {
  await withRuntimes(world, 1, { account: 'streamed' });
  const id = await world.orchestrate('cluster', { targets: of('streamed') });
  const response = await fetch(`${world.url}/orchestrations/${id}/stream`);
  assert.match(response.headers.get('content-type') ?? '', /event-stream/);
  const [text] = await Promise.all([response.text(), world.ended(id)]);
  const events = [...text.matchAll(/^event: (\w+)\ndata: (.*)$/gm)];
  assert.ok(events.length >= 1 && events.every(([, name]) => name === 'orchestration'));
  const last = JSON.parse(events.at(-1)?.[2] ?? '') as { state: string };
  assert.equal(last.state, 'succeeded');
});
