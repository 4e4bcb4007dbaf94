import assert from 'node:assert/strict';
import { after, beforeEach, test } from 'node:test';
import { hours } from '#time';
import { beginUpdate, provisioned, shootOfInstance } from '../operations/testing.ts';
import { startBroker, testSettings } from '../testing.ts';
import { runsOf } from './testing.ts';

const cluster = { ...testSettings.cluster, kubernetesVersion: '1.26.5' };
const world = await startBroker({ off: ['edp', 'ias', 'avs'], settings: { cluster } });
after(() => world[Symbol.asyncDispose]());
const instanceId = await provisioned(world, 'azure');
const { faults } = world.landscape;
const { signal } = new AbortController();

beforeEach(() => world.advance(hours(1)));

/** How the step ran, and what the provisioner was asked to do. */
async function updated(changes: Parameters<typeof beginUpdate>[2]) {
  const operationId = await beginUpdate(world, instanceId, changes);
  const { state, error } = await world.pass(operationId);
  assert.equal(state, 'succeeded', JSON.stringify(error));
  return {
    runs: await runsOf(world, { instanceId, operationId }, 'Upgrade_Shoot'),
    shoot: await shootOfInstance(world, instanceId),
  };
}
const upgradesBegun = () => {
  const all = world.landscape.inventory()['provisioner']?.['operations'] ?? [];
  return (all as { operation?: string; type?: string; course?: string }[]).filter((each) =>
    JSON.stringify(each).toLowerCase().includes('upgrade'),
  ).length;
};

test('the provisioner is asked for what changes, and begins it once, also if its answer gets lost', async () => {
  const before = upgradesBegun();
  faults.add({
    system: 'provisioner',
    field: 'upgradeShoot',
    count: 1,
    action: { kind: 'lost answer' },
  });
  const { runs, shoot } = await updated({ parameters: { autoScalerMax: 31 } });
  assert.match(runs.join(), /^retry: .*done$/);
  assert.equal(shoot.autoScalerMax, 31);
  assert.equal(upgradesBegun(), before + 1);
});

test('whatever the provisioner does with the runtime has to end first', async () => {
  const { globalAccount: tenant, runtimeId = '' } =
    (await world.instance(instanceId)) ?? assert.fail();
  await world.services.clients.provisioner.upgradeShoot(
    { tenant, operationId: 'somebody else' },
    runtimeId,
    { gardenerConfig: { maxSurge: 1 }, administrators: ['a@b.c'] },
    signal,
  );
  const { runs } = await updated({ parameters: { autoScalerMax: 32 } });
  assert.match(runs[0] ?? '', /^wait: UpgradeShoot is still under way/);
  assert.equal(runs.at(-1), 'done');
});

test('a change that concerns no cluster is not its business', async () => {
  const { runs } = await updated({ context: { origin: 'x' } });
  assert.deepEqual(runs, ['skip: nothing of the cluster itself changes']);
});

test('maintenance brings the versions of today', async () => {
  await using later = await startBroker({
    off: ['edp', 'ias', 'avs'],
    database: world.database,
    landscape: world.landscape,
    settings: { cluster: { ...cluster, kubernetesVersion: '1.27.9' } },
  });
  await world.stop();
  later.clock.advance(world.clock.offset);
  const id = await beginUpdate(later, instanceId, { maintenanceVersion: '2' });
  assert.equal((await later.pass(id)).state, 'succeeded');
  assert.equal((await shootOfInstance(later, instanceId)).kubernetesVersion, '1.27.9');
});
