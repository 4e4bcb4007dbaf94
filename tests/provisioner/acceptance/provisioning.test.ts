import assert from 'node:assert/strict';
import { test } from 'node:test';
import { minutes, seconds } from '#time';
import { order, startProvisioner, testSettings } from '../../../src/provisioner/testing.ts';
import {
  answering,
  changeShoot,
  inCluster,
  noError,
  nothingCreated,
  provisioned,
  provisioning,
  refusal,
  registeredIn,
  shootsIn,
  stage,
  statusOf,
  succeeds,
  untilAfter,
  type World,
} from './world.ts';

/** Lets everything else come to its end, too: what would give registrations back. */
async function finishOthers(world: World): Promise<void> {
  for (;;) {
    const { rows } = await world.database.pool.query<{ id: string }>(
      `select id from operations where state = 'in progress'`,
    );
    if (!rows[0]) return;
    await world.pass(rows[0].id);
  }
}

const rateLimits = 'ERR_INFRA_RATE_LIMITS_EXCEEDED';

test('18: provisioning passes its stages in their order and says which one it is in', async () => {
  await using world = await startProvisioner({ withDirector: false });
  const { id } = await world.provision(order('azure'));
  const stages = [
    'CreatingShoot',
    'WaitingForClusterDomain',
    'WaitingForClusterCreation',
    'CreatingBindingsForOperators',
  ];
  for (const [index, waiting] of [
    'WaitingForClusterDomain',
    'WaitingForClusterCreation',
  ].entries()) {
    await untilAfter(world, id, stages[index] ?? '');
    const { state, message } = await statusOf(world, id);
    assert.equal(state, 'InProgress');
    assert.ok(message.startsWith(`Operation in progress. Stage ${waiting}`), message);
  }
  await succeeds(world, id);
  const { state, message, lastError } = await statusOf(world, id);
  assert.deepEqual([state, message], ['Succeeded', 'Operation succeeded']);
  assert.deepEqual(lastError, noError);
  const timeline = await world.engine.timeline(id);
  const passed = timeline.filter(({ outcome }) => outcome === 'done').map((run) => run.stage);
  assert.deepEqual([...new Set(passed)], stages);
});

test('19: the seed that Gardener chose is in the status', async () => {
  await using world = await startProvisioner();
  const { id, runtimeID } = await world.provision(order('azure'));
  await untilAfter(world, id, 'CreatingShoot');
  await changeShoot(world, { spec: { seedName: 'az-eu2' } });
  await succeeds(world, id);
  const query = `{ result: runtimeStatus(id: "${runtimeID}") { runtimeConfiguration { clusterConfig { seed } } } }`;
  const status = await world.result(query);
  assert.deepEqual(status, { runtimeConfiguration: { clusterConfig: { seed: 'az-eu2' } } });
});

test('20: what Gardener gives up fails with its codes, and can be deprovisioned', async () => {
  await using world = await startProvisioner();
  const { id, runtimeID } = await world.provision(order('azure'));
  await untilAfter(world, id, 'WaitingForClusterDomain');
  const description = 'the quota of the subscription is used up';
  const errors = [{ description, codes: ['ERR_INFRA_QUOTA_EXCEEDED'] }];
  await stage(world, { state: 'Failed', type: 'Create', errors });
  await world.pass(id);
  const { state, message, lastError } = await statusOf(world, id);
  assert.equal(state, 'Failed');
  assert.deepEqual(lastError, {
    errMessage: message,
    reason: 'ERR_INFRA_QUOTA_EXCEEDED',
    component: 'gardener',
  });
  assert.match(
    message,
    /^cluster provisioning failed\. Last Shoot state: Failed, Shoot description: /,
  );
  assert.ok(message.includes(description), message);
  assert.equal(shootsIn(world).length, 1);
  await succeeds(world, await world.deprovision(runtimeID));
  assert.deepEqual(shootsIn(world), []);
});

for (const [number, what, failed] of [
  [
    21,
    'exceeded rate limits',
    { type: 'Create', errors: [{ description: 'slow down', codes: [rateLimits] }] },
  ],
  [22, 'a failed reconciliation', { type: 'Reconcile', errors: [{ description: 'try again' }] }],
] as const) {
  test(`${number}: ${what} on the way to a cluster ends nothing`, async () => {
    await using world = await startProvisioner();
    const { id } = await world.provision(order('azure'));
    await untilAfter(world, id, 'WaitingForClusterDomain');
    await stage(world, { state: 'Failed', ...failed });
    await world.pass(id, ({ because }) => because?.includes('Failed') === true);
    assert.equal((await statusOf(world, id)).state, 'InProgress');
    await stage(world, { state: 'Succeeded' });
    await succeeds(world, id);
  });
}

test('23: a Shoot that is never ready fails at the limit, with the reason of before', async () => {
  const limits = { ...testSettings.limits, clusterCreation: minutes(5) };
  await using world = await startProvisioner({ settings: { limits } });
  const { id } = await world.provision(order('azure'));
  await untilAfter(world, id, 'WaitingForClusterDomain');
  const description = 'the route table is in use';
  await stage(world, { state: 'Error', type: 'Create', errors: [{ description }] });
  await world.pass(id);
  const { state, lastError } = await statusOf(world, id);
  assert.deepEqual([state, lastError.reason], ['Failed', 'err_provisioner_timeout']);
  assert.ok(lastError.errMessage.includes(description), lastError.errMessage);
});

test('24: what Gardener calls invalid is refused at once, and leaves nothing behind', async () => {
  await using world = await startProvisioner();
  const answer = await world.graphql(provisioning(order('azure', { seed: 'nowhere' })));
  const { code, reason, component } = refusal(answer);
  assert.deepEqual([code, reason, component], [400, 'Invalid', 'k8s client - gardener']);
  await nothingCreated(world);
});

test('24: a request that fails after the registration in Director gives it back', async () => {
  await using world = await startProvisioner();
  const refused = `create function refuse() returns trigger language plpgsql as $$ begin raise 'no room'; end $$;
    create trigger refuse before insert on runtimes for each row execute function refuse()`;
  await world.database.pool.query(refused);
  const { code, message } = refusal(await world.graphql(provisioning(order('azure'))));
  assert.equal(code, 500);
  assert.doesNotMatch(message, /no room/);
  const { rows } = await world.database.pool.query<{ id: string }>('select id from operations');
  assert.equal(rows.length, 1); // only what gives the registration back
  await succeeds(world, rows[0]?.id ?? '');
  assert.deepEqual(registeredIn(world), []);
});

test('25: administrators become cluster-admin, also where a binding is there already', async () => {
  await using world = await startProvisioner();
  world.landscape.faults.add({
    system: 'gardener',
    method: 'POST',
    path: 'clusterrolebindings',
    nth: 3, // the first administrator
    action: { kind: 'lost answer' },
  });
  await provisioned(world);
  const bindings = await inCluster(world, '/apis/rbac.authorization.k8s.io/v1/clusterrolebindings');
  for (const [index, name] of ['user-1', 'user-2'].entries()) {
    const binding = bindings.find(({ metadata }) => metadata.name === `administrator${index}`);
    assert.partialDeepStrictEqual(binding, {
      subjects: [{ kind: 'User', name }],
      roleRef: { kind: 'ClusterRole', name: 'cluster-admin' },
    });
  }
});

test('25: without that setting nobody but the operators is bound', async () => {
  const operators = { ...testSettings.operators, bindAdministrators: false };
  await using world = await startProvisioner({ settings: { operators } });
  await provisioned(world);
  const bindings = await inCluster(world, '/apis/rbac.authorization.k8s.io/v1/clusterrolebindings');
  const names = bindings.map(({ metadata }) => metadata.name);
  assert.deepEqual(names, ['l2-operator', 'l3-operator-admin']);
});

for (const [how, status, reason] of [
  ['not given', 422, 'Invalid'],
  ['not there because Gardener is busy', 503, 'ServiceUnavailable'],
] as const) {
  test(`26: a kubeconfig that is ${how} is asked for again after 20 seconds`, async () => {
    await using world = await startProvisioner();
    const place = { system: 'gardener', path: 'adminkubeconfig', count: 2 };
    world.landscape.faults.add(answering(place, status, { kind: 'Status', reason, code: status }));
    await provisioned(world);
    const pauses = world.events.filter(
      (event) => event.kind === 'waiting' && event.step === 'Bind_Operators',
    );
    assert.deepEqual(
      pauses.map((event) => event.kind === 'waiting' && event.for),
      [seconds(20), seconds(20)],
    );
  });
}

test('27: a request that is repeated with its key begins nothing new', async () => {
  await using world = await startProvisioner();
  const headers = { 'idempotency-key': 'order-1' };
  const first = await world.provision(order('azure'), headers);
  const again = async () => {
    const { id, runtimeID } = await world.provision(order('azure'), headers);
    assert.deepEqual([id, runtimeID], [first.id, first.runtimeID]); // its message tells how far it has come
  };
  await again();
  await succeeds(world, first.id);
  await again();
  assert.equal(shootsIn(world).length, 1);
  assert.equal(registeredIn(world).length, 1);
});

test('27: a request that lost the answer of Director takes its registration over when it comes again', async () => {
  await using world = await startProvisioner();
  const action = { kind: 'lost answer' } as const;
  world.landscape.faults.add({ system: 'director', field: 'registerRuntime', count: 1, action });
  const headers = { 'idempotency-key': 'order-1' };
  const failed = await world.graphql(provisioning(order('azure')), { headers });
  assert.equal(refusal(failed).code, 502);
  assert.equal(registeredIn(world).length, 1);
  const { id, runtimeID } = await world.provision(order('azure'), headers);
  await succeeds(world, id);
  await finishOthers(world);
  assert.partialDeepStrictEqual(registeredIn(world), [{ id: runtimeID }]);
  assert.equal(registeredIn(world).length, 1);
});

test('27: of the same request at the same moment one begins, and all hear of that', async () => {
  await using world = await startProvisioner();
  const headers = { 'idempotency-key': 'order-1' };
  const all = await Promise.all([1, 2, 3].map(() => world.provision(order('azure'), headers)));
  const [first] = all;
  assert.ok(
    first && all.every(({ id, runtimeID }) => id === first.id && runtimeID === first.runtimeID),
  );
  await succeeds(world, first.id);
  await finishOthers(world);
  assert.partialDeepStrictEqual(registeredIn(world), [{ id: first.runtimeID }]);
  assert.equal(registeredIn(world).length, 1);
  assert.equal(shootsIn(world).length, 1);
});

test('27: a request that is repeated without a key is refused for good', async () => {
  await using world = await startProvisioner();
  const { id } = await world.provision(order('azure'));
  for (const stageBefore of ['CreatingShoot', 'WaitForAgentToConnect']) {
    const answer = await world.graphql(provisioning(order('azure')));
    const { code, message } = refusal(answer);
    assert.equal(code, 400, message);
    assert.match(message, /name/);
    await untilAfter(world, id, stageBefore);
  }
  assert.equal(shootsIn(world).length, 1);
});
