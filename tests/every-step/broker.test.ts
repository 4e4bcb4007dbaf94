import { provisioned } from '../../src/broker/operations/testing.ts';
import {
  broker,
  everythingOn,
  everythingThere,
  instanceId,
  ordering,
  orderIn,
  provisioning,
  provisioningWithTags,
  withCredentials,
  withOwnCluster,
  type World,
} from './broker-scenarios.ts';
import { checkEveryStep } from './harness.ts';
import type { Scenario } from './play.ts';

const scenarios: Scenario<World>[] = [
  {
    name: 'provisioning of azure with BTP credentials, and a Director that knows the dashboard',
    ...provisioningWithTags,
    ...broker({ ...everythingOn, withDirector: true }),
    async begin(world) {
      world.landscape.faults.add(dashboardIsKnown); // by the agent that is not simulated here
      return (await world.order('azure', orderIn(world, withCredentials))).operationId;
    },
  },
  {
    name: 'provisioning of own_cluster',
    ...provisioning,
    ...withOwnCluster(),
    // What was put into a customer's own cluster is the customer's from then on.
    ...ordering('own_cluster', {}),
  },
  {
    name: 'provisioning of preview',
    ...provisioningWithTags,
    ...broker(),
    ...ordering('preview'),
  },
  {
    name: 'provisioning of trial',
    ...provisioningWithTags,
    ...broker(),
    ...ordering('trial'),
  },
  {
    name: 'deprovisioning of azure, with something to remove for every step',
    operation: 'deprovision',
    ...broker(),
    prepare: (world) => everythingThere(world, 'azure'),
    begin: async (world) =>
      (await world.remove(instanceId, { userAgent: 'accountcleanup-job' })).id,
  },
  {
    name: 'suspension of trial',
    operation: 'deprovision',
    ...broker(),
    prepare: (world) => everythingThere(world, 'trial'),
    begin: async (world) => (await world.remove(instanceId, { temporary: true })).id,
  },
  {
    name: 'deprovisioning of own_cluster',
    operation: 'deprovision',
    ...withOwnCluster(),
    prepare: async (world) => {
      await provisioned(world, 'own_cluster', orderIn(world, {}));
    },
    begin: async (world) => (await world.remove(instanceId)).id,
  },
  {
    name: 'deprovisioning of preview',
    operation: 'deprovision',
    ...broker(),
    prepare: async (world) => {
      await provisioned(world, 'preview', orderIn(world, withCredentials));
    },
    begin: async (world) => (await world.remove(instanceId)).id,
  },
];

checkEveryStep(scenarios, {
  callers: ['broker'],
  brokenCalls: 6,
  operations: ['provision', 'deprovision'],
});

const dashboardIsKnown = {
  system: 'director',
  field: 'runtime',
  action: {
    kind: 'answer',
    status: 200,
    body: JSON.stringify({
      data: {
        result: {
          id: 'any',
          labels: { runtime_consoleUrl: 'https://console.example.com/' },
          status: { condition: 'CONNECTED' },
        },
      },
    }),
  },
} as const;
