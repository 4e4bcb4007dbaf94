import assert from 'node:assert/strict';
import type { IncomingHttpHeaders } from 'node:http';
import { test } from 'node:test';
import { minutes } from '#time';
import { startLandscape } from '../../landscape/testing.ts';
import type { ProvisionerClient } from './provisioner-client.ts';
import {
  as,
  clientOf,
  demo,
  failsWith,
  inventory,
  kymaConfig,
  provisioned,
  signal,
  stage,
  startProvisioner,
  tenant,
  withCluster,
} from './testing.ts';

const upgrade = { gardenerConfig: { autoScalerMax: 8 }, administrators: [] };

/** Each mutation on a runtime, and the id of the operation that it began. */
const mutations: Readonly<
  Record<
    string,
    (client: ProvisionerClient, id: string, operationId: string) => Promise<string | undefined>
  >
> = {
  Upgrade: async (client, id, by) =>
    (await client.upgradeRuntime(as(by), id, kymaConfig, signal)).id,
  UpgradeShoot: async (client, id, by) =>
    (await client.upgradeShoot(as(by), id, upgrade, signal)).id,
  DeprovisionNoInstall: (client, id, by) => client.deprovisionRuntime(as(by), id, signal),
  ReconnectRuntime: (client, id, by) => client.reconnectRuntimeAgent(as(by), id, signal),
};

for (const [name, mutate] of Object.entries(mutations)) {
  test(`${name} by the same operation begins nothing new: not at once, not after a lost answer, not later`, async () => {
    await using landscape = await startProvisioner();
    const client = clientOf(landscape);
    const id = await provisioned(landscape, client, { ...demo, kymaConfig });
    const begun = () => inventory(landscape).operations.slice(1);

    landscape.faults.add({ system: 'provisioner', count: 1, action: { kind: 'lost answer' } });
    const lost = failsWith({ temporary: true, reason: 'unreachable' });
    await assert.rejects(mutate(client, id, 'mine'), lost);
    const [first] = begun();
    assert.equal(first?.operation, name);
    assert.equal(await mutate(client, id, 'mine'), first.id);
    landscape.time.advance(minutes(30));
    assert.equal(await mutate(client, id, 'mine'), first.id);
    assert.equal(begun().length, 1);
  });

  test(`${name} by another operation is refused for good while one is in progress`, async () => {
    await using landscape = await startProvisioner();
    const client = clientOf(landscape);
    const id = await provisioned(landscape, client, { ...demo, kymaConfig });
    await client.upgradeShoot(as('first'), id, upgrade, signal);
    const busy = failsWith(
      { temporary: false, code: 400, reason: 'err_provisioner_internal' },
      /cannot start new operation for .+ while previous one is in progress|withheld/,
    );
    await assert.rejects(mutate(client, id, 'second'), busy);
    landscape.time.advance(minutes(30));
    assert.ok(await mutate(client, id, 'second'));
  });
}

test('one operation provisions one runtime, also when answers get lost and calls cross', async () => {
  await using landscape = await startProvisioner();
  const client = clientOf(landscape);
  landscape.faults.add({ system: 'provisioner', count: 1, action: { kind: 'lost answer' } });
  const provision = () => client.provisionRuntime(as('mine'), demo, signal);
  await assert.rejects(provision(), failsWith({ temporary: true, reason: 'unreachable' }));
  const answers = await Promise.all([provision(), provision()]);
  const { runtimes, operations } = inventory(landscape);
  assert.deepEqual(
    answers.map(({ id }) => id),
    [operations[0]?.id, operations[0]?.id],
  );
  assert.deepEqual([runtimes.length, operations.length], [1, 1]);
});

test('another operation gets another runtime, but not under a name that a cluster has', async () => {
  await using landscape = await startProvisioner();
  const client = clientOf(landscape);
  await client.provisionRuntime(as('first'), demo, signal);
  const taken = failsWith({ temporary: true, reason: 'AlreadyExists', code: 500 });
  await assert.rejects(client.provisionRuntime(as('second'), demo, signal), taken);
  await client.provisionRuntime(as('second'), withCluster({ name: 'c-2' }), signal);
  assert.equal(inventory(landscape).runtimes.length, 2);
});

test('the same operation also gets its failure again; another one may try anew', async () => {
  await using landscape = await startProvisioner();
  const client = clientOf(landscape);
  const runtimeId = await provisioned(landscape, client);
  const first = await client.upgradeShoot(as('first'), runtimeId, upgrade, signal);
  const lastError = {
    errMessage: 'cluster upgrade failed',
    reason: 'ERR_INFRA_QUOTA_EXCEEDED',
    component: 'gardener',
  };
  await stage(landscape, `operations/${first.id}`, { state: 'Failed', message: 'no', lastError });
  const again = await client.upgradeShoot(as('first'), runtimeId, upgrade, signal);
  assert.deepEqual(again, { ...first, state: 'Failed', message: 'no', lastError });
  const second = await client.upgradeShoot(as('second'), runtimeId, upgrade, signal);
  assert.equal(second.state, 'InProgress');
});

test('every call names the tenant, only mutations the operation, only the first the subaccount', async () => {
  const asked: IncomingHttpHeaders[] = [];
  await using landscape = await startLandscape({
    systems: [
      () => ({
        name: 'provisioner',
        inventory: () => ({}),
        serve(app) {
          app.post('/graphql', async ({ headers, body }) => {
            asked.push(headers);
            const answersText = /deprovision|reconnect/.test(JSON.stringify(body));
            const operation = { id: 'O', runtimeID: 'R', operation: 'Provision', state: 'Pending' };
            return { data: { result: answersText ? 'O' : operation } };
          });
        },
      }),
    ],
  });
  const client = clientOf(landscape);
  await client.provisionRuntime(as('mine'), demo, signal);
  for (const mutate of Object.values(mutations)) await mutate(client, 'R', 'mine');
  await client.runtimeOperationStatus(tenant, 'O', signal);
  await client.runtimeStatus(tenant, 'R', signal);
  const mutation = ['ga-1', 'mine', undefined];
  const query = ['ga-1', undefined, undefined];
  assert.deepEqual(
    asked.map((each) => [each['tenant'], each['idempotency-key'], each['sub-account']]),
    [['ga-1', 'mine', 'sa-1'], mutation, mutation, mutation, mutation, query, query],
  );
});
