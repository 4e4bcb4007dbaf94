import assert from 'node:assert/strict';
import { Secret } from '#database';
import {
  beginBinding,
  beginUnbinding,
  beginUnsuspension,
  beginUpdate,
  beginUpgrade,
  provisioned,
  removed,
} from '../../src/broker/operations/testing.ts';
import { btpCredentials, type BrokerWorldOptions } from '../../src/broker/testing.ts';
import {
  broker,
  everythingKnown,
  instanceId,
  orderIn,
  provisioningWithTags,
  withCredentials,
  withOwnCluster,
  type World,
} from './broker-scenarios.ts';
import { checkEveryStep } from './harness.ts';
import type { Scenario } from './play.ts';

/** Those that the operation has nothing to do with cost time. */
const without = (...off: NonNullable<BrokerWorldOptions['off']>) => broker({ off });
const clusterAlone = without('avs', 'edp', 'ias', 'reconciler', 'lifecycleManager');
const withOthers = {
  sm_operator_credentials: new Secret(btpCredentials().reveal().replace('sm-client', 'renewed')),
};

const isThere = (plan: string, context: object = withCredentials) => ({
  prepare: async (world: World) => {
    await provisioned(world, plan, orderIn(world, context));
  },
});

const upgrade = without('edp', 'ias');

const binding = {
  ...clusterAlone,
  waiting: ['expire_binding'],
  look: async (world: World) => ({
    ...(await everythingKnown(world)),
    bindings: await world.services.bindings.ofInstance(world.database.pool, instanceId),
  }),
};
const isBound = {
  prepare: async (world: World) => {
    await provisioned(world, 'azure', orderIn(world, {}));
    await world.pass(await beginBinding(world, instanceId));
  },
};

const scenarios: Scenario<World>[] = [
  {
    name: 'update of parameters and credentials',
    operation: 'update',
    ...without('avs', 'edp', 'ias'),
    ...isThere('azure'),
    begin: (world) =>
      beginUpdate(world, instanceId, {
        parameters: { autoScalerMax: 30, administrators: ['new@example.com'] },
        context: withOthers,
      }),
  },
  {
    name: 'update of the kubeconfig of own_cluster',
    operation: 'update',
    ...withOwnCluster({ off: ['avs', 'edp', 'ias'] }),
    ...isThere('own_cluster', {}),
    begin: async (world) => {
      const { kubeconfig } = (await world.instance(instanceId))?.parameters ?? {};
      const renewed = new Secret(`${kubeconfig?.reveal()}\n# renewed\n`);
      return beginUpdate(world, instanceId, { parameters: { kubeconfig: renewed } });
    },
  },
  {
    name: 'upgrade of Kyma',
    operation: 'upgradeKyma',
    ...upgrade,
    ...isThere('azure'),
    begin: (world) => beginUpgrade(world, 'upgradeKyma', instanceId, { notification: true }),
  },
  {
    name: 'upgrade of a cluster',
    operation: 'upgradeCluster',
    ...upgrade,
    ...isThere('azure', {}),
    begin: (world) =>
      beginUpgrade(world, 'upgradeCluster', instanceId, {
        kubernetesVersion: '1.27.4',
        notification: true,
      }),
  },
  {
    name: 'end of the maintenance for an upgrade',
    operation: 'endMaintenance',
    ...upgrade,
    ...isThere('azure', {}),
    async begin(world) {
      const wanted = { notification: true };
      await world.pass(await beginUpgrade(world, 'upgradeCluster', instanceId, wanted));
      const [last] = await world.engine.ofSubject(instanceId, 1);
      return last?.id ?? assert.fail();
    },
  },
  {
    name: 'return of a suspended trial',
    ...provisioningWithTags,
    ...broker(),
    async prepare(world) {
      await provisioned(world, 'trial', orderIn(world, withCredentials));
      await removed(world, instanceId, { temporary: true });
    },
    begin: (world) => beginUnsuspension(world, instanceId),
  },
  {
    name: 'binding',
    operation: 'bind',
    ...binding,
    ...isThere('azure', {}),
    begin: (world) => beginBinding(world, instanceId),
  },
  {
    name: 'removal of a binding',
    operation: 'unbind',
    ...binding,
    ...isBound,
    begin: (world) => beginUnbinding(world, instanceId),
  },
  {
    name: 'expiry of a binding',
    operation: 'expire_binding',
    ...binding,
    waiting: [],
    ...isBound,
    async begin({ engine }) {
      const [last] = await engine.ofSubject('binding:a-binding', 1);
      return last?.id ?? assert.fail();
    },
  },
];

checkEveryStep(scenarios, {
  callers: ['broker'],
  brokenCalls: 6,
  operations: [
    'update',
    'upgradeKyma',
    'upgradeCluster',
    'endMaintenance',
    'bind',
    'unbind',
    'expire_binding',
  ],
});
