import assert from 'node:assert/strict';
import { test } from 'node:test';
import { minutes } from '#time';
import {
  clusterOf,
  provisioned,
  removed,
  signal,
  type World,
} from '../../src/broker/operations/testing.ts';
import { btpCredentials, startBroker } from '../../src/broker/testing.ts';
import { modes } from '../every-step/disturbance.ts';
import { checkEnd } from '../every-step/harness.ts';
import { play, type Scenario } from '../every-step/play.ts';

const instanceId = '3f2a7c1e-0000-4000-8000-00000000abcd';

/** Something is there for every step. */
async function everythingThere(world: World, plan: string): Promise<void> {
  await provisioned(world, plan, {
    instanceId,
    context: { sm_operator_credentials: btpCredentials() },
  });
  const { ias } = world.services.clients;
  await ias?.createServiceProvider(`SKR Grafana (instanceID: ${instanceId})`, signal);
  const cluster = await clusterOf(world, instanceId);
  await cluster.request({
    method: 'POST',
    path: '/apis/services.cloud.sap.com/v1/namespaces/kyma-system/serviceinstances',
    body: {
      apiVersion: 'services.cloud.sap.com/v1',
      kind: 'ServiceInstance',
      metadata: { name: 'database' },
    },
    what: 'order a service',
    signal,
  });
  world.advance(minutes(5));
}

const scenario = (plan: string, request: Parameters<World['remove']>[1]): Scenario<World> => ({
  name: `deprovisioning of plan ${plan}`,
  operation: 'deprovision',
  open: (disturb) => startBroker({ disturb }),
  prepare: (world) => everythingThere(world, plan),
  begin: async (world) => (await world.remove(instanceId, request)).id,
  look: (world) => world.instance(instanceId),
  // Versions count writes; what the provisioner did is only a record; of accounts, to whom those belonged that were
  // released; and names that are drawn.
  ignored: 'resourceVersion managedFields operations tenantName dirty shootName shootDomain'.split(
    ' ',
  ),
  remove: async (world) => {
    if (await world.instance(instanceId)) await removed(world, instanceId);
  },
});

for (const [what, plan, request] of [
  ['removal', 'azure', { userAgent: 'accountcleanup-job' }],
  ['suspension', 'trial', { temporary: true }],
] as const) {
  test(`a ${what} ends in the same way`, async (t) => {
    const expected = await play(scenario(plan, request));
    assert.deepEqual(expected.ended.not_completed, []);
    checkEnd(expected, expected);
    const done = expected.timeline.filter(({ outcome }) => outcome === 'done');
    const steps = [...new Set(done.map(({ step }) => step))];
    for (const mode of modes) {
      await t.test(`with every step disturbed: ${mode}`, async () => {
        const disturbance = { operation: 'deprovision', steps, mode };
        checkEnd(await play(scenario(plan, request), { disturbance }), expected);
      });
    }
  });
}
