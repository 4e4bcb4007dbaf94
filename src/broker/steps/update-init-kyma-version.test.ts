import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { hours } from '#time';
import { beginUpdate, provisioned, reconciledOf } from '../operations/testing.ts';
import { startBroker } from '../testing.ts';

const world = await startBroker({ off: ['edp', 'ias', 'avs'] });
after(() => world[Symbol.asyncDispose]());
const instanceId = await provisioned(world, 'azure', { parameters: { kymaVersion: '2.18.0' } });

/** Which version Kyma has after the update. */
async function versionAfter(changes: Parameters<typeof beginUpdate>[2]): Promise<string> {
  world.advance(hours(1));
  const { state, error } = await world.pass(await beginUpdate(world, instanceId, changes));
  assert.equal(state, 'succeeded', JSON.stringify(error));
  const { kymaVersion } = await reconciledOf(world, instanceId);
  assert.equal((await world.instance(instanceId))?.details.kymaVersion, kymaVersion);
  return kymaVersion;
}

test('Kyma keeps the version that it has, whatever the order said', async () => {
  const { instances, database } = world.services;
  const instance = (await world.instance(instanceId)) ?? assert.fail();
  await instances.change(database.pool, instanceId, {
    ...instance,
    parameters: { ...instance.parameters, kymaVersion: '2.17.0' },
  });
  const parameters = { administrators: ['a@b.c'] };
  assert.equal(await versionAfter({ parameters }), '2.18.0');
});

test('where nobody knows which version it has, it gets the one of the order', async () => {
  const { instances, database } = world.services;
  const instance = (await world.instance(instanceId)) ?? assert.fail();
  await instances.change(database.pool, instanceId, {
    ...instance,
    parameters: { ...instance.parameters, kymaVersion: '2.18.0' },
  });
  await instances.remember(database.pool, instanceId, { kymaVersion: null });
  assert.equal(await versionAfter({ parameters: { administrators: ['b@b.c'] } }), '2.18.0');
});

test('maintenance brings the version of the landscape', async () => {
  const { instances, database } = world.services;
  await instances.remember(database.pool, instanceId, { kymaVersion: '2.17.0' });
  assert.equal(
    await versionAfter({ maintenanceVersion: '2' }),
    world.services.settings.kymaVersion,
  );
});
