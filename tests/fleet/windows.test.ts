import assert from 'node:assert/strict';
import { after, beforeEach, test } from 'node:test';
import { pino } from 'pino';
import { gardenerClient, kubernetesConnection } from '#clients';
import { days, hours, minutes } from '#time';
import { shootOf } from '../../src/clients/gardener/testing.ts';
import { eventually } from '../../src/database/testing.ts';
import { of, seed, signal, startFleet, timesUpgraded, withRuntimes } from './fleet-world.ts';

const said: string[] = [];
const log = pino({ level: 'warn' }, { write: (line: string) => void said.push(line) });
const world = await startFleet({ log });
after(() => world[Symbol.asyncDispose]());
beforeEach(() => world.landscape.faults.remove());

const { orchestrations } = world.services.fleet;
const now = () => orchestrations.now(world.database.pool);
const weekdayOf = (date: Date) =>
  ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'][date.getUTCDay()] ?? '';
const midnightAfter = (date: Date) =>
  new Date((Math.floor(date.getTime() / days(1)) + 1) * days(1));

/** What operators write into the ConfigMap. */
async function setPolicy(maintenancePolicy: unknown): Promise<void> {
  const kubeconfig = await (await fetch(`${world.landscape.url}/control-plane/kubeconfig`)).text();
  await kubernetesConnection('test', { kubeconfig }).request({
    method: 'PATCH',
    path: '/api/v1/namespaces/kcp-system/configmaps/orchestration-config',
    contentType: 'application/merge-patch+json',
    body: { data: { maintenancePolicy } },
    what: 'change the policy',
    signal,
  });
}

/** One hour from 01:00, on the next day of the calendar. */
async function windowTomorrow(): Promise<{ begin: Date; end: Date; rule: object }> {
  const midnight = midnightAfter(await now());
  const begin = new Date(midnight.getTime() + hours(1));
  const rule = { days: [weekdayOf(begin)], timeBegin: '010000+0000', timeEnd: '020000+0000' };
  return { begin, end: new Date(begin.getTime() + hours(1)), rule };
}

const begunAt = async (id: string) => {
  const { rows } = await world.database.pool.query<{ begun: Date }>(
    `select o.created_at as begun from orchestration_operations u join operations o on o.id = u.operation_id
      where u.orchestration_id = $1 order by 1`,
    [id],
  );
  return rows.map(({ begun }) => begun);
};

test('upgrades begin in the windows of the policy; who has missed one has another a week later', async () => {
  const account = 'policy';
  const ids = await withRuntimes(world, 2, { account });
  const { begin, end, rule } = await windowTomorrow();
  const other = { ...rule, days: [] };
  const policy = { rules: [{ match: { globalAccountID: account }, ...rule }], default: other };
  await setPolicy(JSON.stringify(policy));
  const id = await world.orchestrate('cluster', {
    targets: of(account),
    strategy: { maintenanceWindow: true },
  });
  const waiting = await world.until(id, /^0 of 1 under way, the next may begin at /);
  assert.ok(waiting.explanation.because?.endsWith(`${begin.toISOString().slice(0, 19)}Z`));
  const [first] = await world.operations(id);
  assert.equal(first?.maintenanceWindowBegin, begin.toISOString());
  assert.equal(first?.maintenanceWindowEnd, end.toISOString());

  await world.jump(id, begin);
  await world.until(id, /^1 of 1 under way/);
  await world.put(id, 'pause');
  await world.until(id, /^paused: .* 0 under way/);
  await world.jump(id, end);
  await world.put(id, 'resume');
  await world.until(id, /^0 of 1 under way, the next may begin at /);
  await world.jump(id, new Date(begin.getTime() + days(7)));
  const { state } = await world.ended(id);
  assert.equal(state, 'succeeded');
  const [one, two] = await begunAt(id);
  assert.ok(one && two && one >= begin && one < end);
  assert.ok(two.getTime() >= begin.getTime() + days(7) && two.getTime() < end.getTime() + days(7));
  const times = await timesUpgraded(world);
  assert.deepEqual(
    ids.map((each) => times.get(each)),
    [1, 1],
  );
});

test('with a broken policy, or none, the windows of the Shoots count, and who has none is left out', async () => {
  const account = 'shoots';
  const [withWindow = '', without = ''] = await seed(world, [{ account }, { account }]);
  const { runtimeId = '' } = (await world.instance(withWindow)) ?? {};
  const kubeconfig = await (await fetch(`${world.landscape.url}/gardener/kubeconfig`)).text();
  const shoot = shootOf('c-window');
  const { metadata, spec } = shoot;
  const annotations = { 'kcp.provisioner.kyma-project.io/runtime-id': runtimeId };
  const maintenance = { timeWindow: { begin: '230000+0200', end: '010000+0200' } };
  await gardenerClient({ kubeconfig, project: 'kyma' }).shoots.apply(
    { metadata: { ...metadata, annotations }, spec: { ...spec, maintenance } },
    signal,
  );
  for (const policy of ['{ broken', null]) {
    await setPolicy(policy);
    said.length = 0;
    const { body } = await world.call('POST', '/orchestrations/preview', {
      body: { targets: of(account), strategy: { maintenanceWindow: true } },
    });
    const { data, skipped } = body as {
      data: { instanceID: string; maintenanceWindowBegin: string; maintenanceWindowEnd: string }[];
      skipped: { instanceID: string; because: string }[];
    };
    assert.deepEqual(
      data.map(({ instanceID }) => instanceID),
      [withWindow],
    );
    assert.match(data[0]?.maintenanceWindowBegin ?? '', /T21:00:00/);
    assert.match(data[0]?.maintenanceWindowEnd ?? '', /T23:00:00/);
    assert.deepEqual(
      skipped.map(({ instanceID }) => instanceID),
      [without],
    );
    assert.match(skipped[0]?.because ?? '', /nobody says when its maintenance window is/);
    assert.match(said.join(), /the windows of the Shoots are used/);
  }
});

type Tenant = {
  readonly instanceId: string;
  readonly announced: number;
  readonly eventState?: string;
  readonly startDateTime?: string;
  readonly endDateTime?: string;
};
const eventOf = (id: string) => {
  const all = world.landscape.inventory()['spc']?.['maintenanceEvents'] ?? [];
  return (
    all as { orchestrationId: string; isCanceled: boolean; eventType: string; tenants: Tenant[] }[]
  ).find(({ orchestrationId }) => orchestrationId === id);
};

test('customers hear of their upgrade when it is planned, when it begins and when it is over, once each', async () => {
  const account = 'told';
  await withRuntimes(world, 2, { account });
  const { begin, end, rule } = await windowTomorrow();
  await setPolicy(JSON.stringify({ default: rule }));
  world.landscape.faults.add({ system: 'spc', count: 1, action: { kind: 'answer', status: 503 } });
  const id = await world.orchestrate('cluster', {
    targets: of(account),
    strategy: { maintenanceWindow: true },
    notification: true,
  });
  await world.until(id, /^0 of 1 under way/);
  const planned = eventOf(id);
  assert.equal(planned?.eventType, '0');
  for (const tenant of planned.tenants) {
    const { announced, eventState, startDateTime, endDateTime } = tenant;
    assert.deepEqual([announced, eventState], [1, undefined]);
    const text = (date: Date) => date.toISOString().slice(0, 19).replace('T', ' ');
    assert.deepEqual(
      [startDateTime?.slice(0, 19), endDateTime?.slice(0, 19)],
      [text(begin), text(end)],
    );
  }
  await world.jump(id, begin);
  await world.until(id, /^1 of 1 under way/);
  const [running] = await world.operations(id, '?state=inprogress');
  await world.pass(running?.operationID ?? '', ({ finished_stages }) =>
    finished_stages.includes('upgrade'),
  );
  const stateOf = (instance = '') =>
    eventOf(id)?.tenants.find(({ instanceId }) => instanceId === instance)?.eventState;
  assert.equal(stateOf(running?.instanceID), '1');
  assert.equal((await world.ended(id)).state, 'succeeded');
  for (const { instanceID, notificationState } of await world.operations(id)) {
    for (const each of await world.engine.ofSubject(instanceID)) await world.pass(each.id);
    assert.equal(notificationState, 'created');
  }
  assert.deepEqual(
    eventOf(id)?.tenants.map(({ announced, eventState }) => [announced, eventState]),
    [
      [1, '2'],
      [1, '2'],
    ],
  );
});

test('while Gardener refuses to list Shoots nobody knows their windows: the orchestration waits, and says so', async () => {
  const account = 'no-shoots';
  await withRuntimes(world, 1, { account });
  const always = { days: [], timeBegin: '000000+0000', timeEnd: '235959+0000' };
  await setPolicy(JSON.stringify({ default: always }));
  const refused = world.landscape.faults.add({
    system: 'gardener',
    path: '/shoots(\\?|$)',
    action: { kind: 'answer', status: 403, body: '{}' },
  });
  said.length = 0;
  const body = { targets: of(account), strategy: { maintenanceWindow: true } };
  const id = await world.orchestrate('cluster', body);
  const waiting = await world.until(id, /^gardener: /);
  assert.equal(waiting.state, 'pending');
  assert.partialDeepStrictEqual(waiting.explanation, { waitingFor: 'gardener' });
  assert.match(said.join(), /upgrades cannot be planned/);
  const preview = await world.call('POST', '/orchestrations/preview', { body });
  assert.equal(preview.status, 502, preview.text);
  assert.match(String(preview.body['error']), /^gardener: /);

  world.landscape.faults.remove(refused);
  const { state, progress } = await world.ended(id);
  assert.equal(state, 'succeeded');
  assert.partialDeepStrictEqual(progress, { total: 1, succeeded: 1 });
});

test('however many answers of SPC are lost, nobody is told a third time; and customers hear of what does not come', async () => {
  const account = 'not-told-thrice';
  await withRuntimes(world, 3, { account });
  world.landscape.faults.add({
    system: 'spc',
    method: 'POST',
    count: 5,
    action: { kind: 'lost answer' },
  });
  const id = await world.orchestrate('kyma', { targets: of(account), notification: true });
  await world.until(id, /^1 of 1 under way/);
  await world.put(id, 'cancel');
  const { state, progress } = await world.ended(id);
  assert.equal(state, 'canceled');
  assert.partialDeepStrictEqual(progress, { succeeded: 1, canceled: 2 });
  const { isCanceled, eventType, tenants = [] } = eventOf(id) ?? {};
  assert.deepEqual([isCanceled, eventType], [true, '1']);
  assert.deepEqual(
    tenants.map(({ announced }) => announced),
    [2, 2, 2],
  );
  const states = (await world.operations(id)).map((each) => [each.state, each.notificationState]);
  assert.deepEqual(states, [
    ['succeeded', 'created'],
    ['canceled', 'cancelled'],
    ['canceled', 'cancelled'],
  ]);
});

test('customers whom a process was about to tell when it died are told by another one, a little later', async () => {
  const account = 'about-to-be-told';
  await withRuntimes(world, 2, { account });
  const silent = world.landscape.faults.add({
    system: 'spc',
    action: { kind: 'answer', status: 503 },
  });
  const id = await world.orchestrate('cluster', {
    targets: of(account),
    strategy: { schedule: new Date((await now()).getTime() + hours(1)).toISOString() },
    notification: true,
  });
  const { operationID } = await world.status(id);
  const { announcements } = world.services.fleet;
  const { pool } = world.database;
  // Between two tries of the process that lives.
  await world.pass(operationID, ({ step }) => step === 'Announce_Maintenance');
  await eventually(async () => (await announcements.take(pool, id, 10)).length === 2);
  world.landscape.faults.remove(silent);
  await world.until(id, /^an announcement may be on its way$/);
  assert.equal(eventOf(id), undefined);
  await world.until(id, /^it is scheduled for/);
  assert.deepEqual(
    eventOf(id)?.tenants.map(({ announced }) => announced),
    [1, 1],
  );
  await world.put(id, 'cancel');
  await world.ended(id);
  assert.equal(eventOf(id)?.isCanceled, true);
});

test('whose upgrade comes to nothing before it begins is told so when the others are through', async () => {
  const account = 'in-vain';
  const [gone = '', stays = '', broken = ''] = await withRuntimes(world, 3, { account });
  const at = new Date((await now()).getTime() + hours(1));
  const id = await world.orchestrate('kyma', {
    targets: of(account),
    strategy: { schedule: at.toISOString() },
    notification: true,
  });
  await world.until(id, /^it is scheduled for/);
  // One is not meant any more when the time comes; of another one nobody gets the kubeconfig.
  const { pool } = world.database;
  await pool.query(`update instances set global_account = 'elsewhere' where id = $1`, [gone]);
  await pool.query(`update instances set runtime_id = gen_random_uuid() where id = $1`, [broken]);
  await world.jump(id, at);
  assert.equal((await world.ended(id)).state, 'failed');
  for (const each of [stays, broken])
    for (const operation of await world.engine.ofSubject(each)) await world.pass(operation.id);
  const told = new Map(eventOf(id)?.tenants.map((each) => [each.instanceId, each.eventState]));
  assert.deepEqual(
    [gone, stays, broken].map((each) => told.get(each)),
    ['3', '2', '3'],
  );
  const known = new Map(
    (await world.operations(id)).map((each) => [each.instanceID, each.notificationState]),
  );
  assert.deepEqual(
    [gone, stays, broken].map((each) => known.get(each)),
    ['cancelled', 'created', 'cancelled'],
  );
});

test('of an orchestration that is only tried out no customer hears', async () => {
  const account = 'tried-out';
  await withRuntimes(world, 1, { account });
  const wanted = { targets: of(account), notification: true, dryRun: true };
  const id = await world.orchestrate('cluster', wanted);
  assert.equal((await world.ended(id)).state, 'succeeded');
  assert.equal(eventOf(id), undefined);
});

test('retried upgrades wait for their next window, unless somebody wants them at once', async () => {
  const account = 'retried-in-windows';
  const ids = await seed(world, [{ account }, { account }]);
  const { begin, rule } = await windowTomorrow();
  await setPolicy(JSON.stringify({ default: rule }));
  const id = await world.orchestrate('cluster', {
    targets: of(account),
    strategy: { maintenanceWindow: true, parallel: { workers: 2 } },
  });
  await world.until(id, /^0 of 2 under way/);
  await world.jump(id, begin);
  assert.equal((await world.ended(id)).state, 'failed');
  world.advance(hours(2));
  await withRuntimes(world, ids);
  const [at, later] = (await world.operations(id)).map(({ operationID }) => operationID);
  await world.retry(id, [['operation-id', later ?? '']]);
  await world.until(id, /^0 of 2 under way, the next may begin at /);
  const asked = await now();
  await world.retry(id, [
    ['operation-id', at ?? ''],
    ['immediate', 'true'],
  ]);
  await world.until(id, /^1 of 2 under way, the next may begin at /);
  await world.until(id, /^0 of 2 under way, the next may begin at /);
  await world.jump(id, new Date(begin.getTime() + days(7)));
  const { state, progress } = await world.ended(id);
  assert.equal(state, 'succeeded');
  assert.partialDeepStrictEqual(progress, { total: 2, succeeded: 2, failed: 0 });
  const [, , soon, last] = await begunAt(id);
  assert.ok(soon && soon.getTime() - asked.getTime() < minutes(2));
  assert.ok(last && last.getTime() >= begin.getTime() + days(7));
});
