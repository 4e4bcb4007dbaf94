import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import type { Database } from '#database';
import { provisionerOperations } from '#provisioner';
import { eventually } from '../../src/database/testing.ts';
import {
  literal,
  operationFields,
  order,
  startProvisioner,
  type WorldOptions,
} from '../../src/provisioner/testing.ts';
import { checkEveryStep } from './harness.ts';
import type { Scenario } from './play.ts';

type World = Awaited<ReturnType<typeof startProvisioner>>;
const { signal } = new AbortController();

const kyma = (version: string) => ({
  version,
  configuration: [{ key: 'global.domainName', value: 'a.kyma.example.com' }],
  components: [
    { component: 'cluster-essentials', namespace: 'kyma-system' },
    { component: 'compass-runtime-agent', namespace: 'compass-system' },
    {
      component: 'service-catalog',
      namespace: 'kyma-system',
      configuration: [{ key: 'catalog.replicas', value: '2', secret: true }],
    },
  ],
});
const clusterAlone = order('azure');
const clusterWithKyma = order('azure', {}, { kymaConfig: kyma('1.24.10') });

const everythingOn: WorldOptions = {
  settings: {
    auditLogTenants: async () => ({
      azure: {
        westeurope: {
          tenantID: 'audit-tenant',
          serviceURL: 'https://auditlog.example.com',
          secretName: 'auditlog-secret',
        },
      },
    }),
  },
};

/** What all scenarios have in common. */
const provisioner = (options: WorldOptions) => ({
  open: (disturb: Parameters<Scenario<World>['open']>[0]) =>
    startProvisioner({
      ...options,
      operations: (services) => disturb(provisionerOperations(services)),
    }),
  settle: agentsConnected,
  look: everythingKnown,
  // Versions count writes; a new attempt to connect an agent takes a new token.
  ignored: ['resourceVersion', 'managedFields', 'tokens'],
  remove: async (world: World) => {
    for (const id of await runtimeIds(world)) await succeeded(world, await deprovision(world, id));
  },
});

const withRuntime = (config: object) => ({
  prepare: async (world: World) => succeeded(world, await provision(world, config)),
});

const scenarios: Scenario<World>[] = [
  {
    name: 'provisioning of a cluster with Kyma, agent and audit log',
    operation: 'provision',
    ...provisioner(everythingOn),
    begin: (world) => provision(world, clusterWithKyma),
  },
  {
    name: 'provisioning of a cluster alone, without a Director',
    operation: 'provision',
    ...provisioner({ withDirector: false }),
    begin: (world) => provision(world, clusterAlone),
  },
  {
    name: 'deprovisioning of a cluster with Kyma',
    operation: 'deprovision',
    ...provisioner(everythingOn),
    prepare: async (world) => {
      await succeeded(world, await provision(world, clusterWithKyma));
      await orderService(world);
    },
    begin: async (world) => deprovision(world, await theRuntime(world)),
    remove: async () => {},
  },
  {
    name: 'deprovisioning of a cluster alone, without a Director',
    operation: 'deprovision',
    ...provisioner({ withDirector: false }),
    ...withRuntime(clusterAlone),
    begin: async (world) => deprovision(world, await theRuntime(world)),
    remove: async () => {},
  },
  {
    name: 'upgrade of a cluster',
    operation: 'upgrade_shoot',
    ...provisioner(everythingOn),
    ...withRuntime(clusterAlone),
    begin: (world) =>
      onRuntime(world, 'upgradeShoot', {
        gardenerConfig: { kubernetesVersion: '1.27.3', autoScalerMax: 30 },
        administrators: ['user-3'],
      }),
  },
  {
    name: 'upgrade of Kyma',
    operation: 'upgrade',
    ...provisioner({}),
    ...withRuntime(clusterWithKyma),
    begin: (world) => onRuntime(world, 'upgradeRuntime', { kymaConfig: kyma('2.0.4') }),
  },
  {
    name: 'hibernation',
    operation: 'hibernate',
    ...provisioner({}),
    ...withRuntime(clusterAlone),
    begin: (world) => onRuntime(world, 'hibernateRuntime'),
  },
  {
    name: 'reconnection of an agent',
    operation: 'reconnect_runtime',
    ...provisioner({}),
    ...withRuntime(clusterWithKyma),
    begin: async (world) =>
      request(world, `reconnectRuntimeAgent(id: "${await theRuntime(world)}")`),
  },
  {
    name: 'return of a registration whose request was never finished',
    operation: 'abandoned_registration',
    ...provisioner({}),
    prepare: async (world) => {
      const action = { kind: 'lost answer' } as const;
      world.landscape.faults.add({ system: 'director', field: 'registerRuntime', nth: 1, action });
      await assert.rejects(world.provision(clusterAlone));
    },
    begin: ({ database }) => theOperation(database, 'abandoned_registration'),
  },
];

checkEveryStep(scenarios, { callers: ['provisioner', 'kyma-control-plane'], brokenCalls: 6 });

const provision = async (world: World, config: object) => {
  const { id }: { id: string } = await request(
    world,
    `provisionRuntime(config: ${literal(config)}) ${operationFields}`,
  );
  return id;
};

const deprovision = (world: World, runtimeId: string): Promise<string> =>
  request(world, `deprovisionRuntime(id: "${runtimeId}")`);

async function onRuntime(world: World, mutation: string, config?: object): Promise<string> {
  const given = config ? `, config: ${literal(config)}` : '';
  const { id }: { id: string } = await request(
    world,
    `${mutation}(id: "${await theRuntime(world)}"${given}) ${operationFields}`,
  );
  return id;
}

/** Asks again when that fails, with the same key, as careful callers do. */
async function request(world: World, field: string): Promise<never> {
  const headers = { 'sub-account': 'sa-1', 'idempotency-key': randomUUID() };
  for (let attempts = 1; ; attempts += 1) {
    const { data, errors } = await world.graphql(`mutation { result: ${field} }`, { headers });
    if (errors.length === 0) return data?.['result'] ?? assert.fail('no result');
    if (attempts === 10) assert.deepEqual(errors, []);
  }
}

async function succeeded(world: World, operationId: string): Promise<void> {
  const { state, error } = await world.pass(operationId);
  assert.equal(state, 'succeeded', JSON.stringify(error));
}

async function runtimeIds({ database }: World): Promise<string[]> {
  const { rows } = await database.pool.query<{ id: string }>('select id from runtimes');
  return rows.map(({ id }) => id);
}

async function theOperation({ pool }: Database, type: string): Promise<string> {
  const { rows } = await pool.query<{ id: string }>('select id from operations where type = $1', [
    type,
  ]);
  return rows[0]?.id ?? assert.fail(`there is no ${type}`);
}

const theRuntime = async (world: World) =>
  (await runtimeIds(world))[0] ?? assert.fail('there is no runtime');

/** What a user of the runtime orders through Kyma's Service Catalog, and nobody else gives back. */
async function orderService({ services, landscape }: World): Promise<void> {
  const { name } = clusterWithKyma.clusterConfig.gardenerConfig;
  const admin = await services.clients.gardener.shoots.adminKubeconfig(name, signal);
  const [, token = ''] = /token: ["']?([\w-]+)/.exec(admin?.kubeconfig.reveal() ?? '') ?? [];
  const apiVersion = 'servicecatalog.k8s.io/v1beta1';
  const create = async (plural: string, kind: string, itsName: string, spec: object) => {
    const response = await fetch(
      `${landscape.url}/gardener/runtimes/${name}/apis/${apiVersion}/${plural}`,
      {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: JSON.stringify({ apiVersion, kind, metadata: { name: itsName }, spec }),
      },
    );
    assert.equal(response.status, 201, await response.text());
  };
  await create('clusterservicebrokers', 'ClusterServiceBroker', 'mine', {
    url: 'https://service-manager.example.com',
  });
  await create('clusterserviceclasses', 'ClusterServiceClass', 'database', {
    clusterServiceBrokerName: 'mine',
  });
  await create('namespaces/default/serviceinstances', 'ServiceInstance', 'my-database', {
    clusterServiceClassRef: { name: 'database' },
  });
}

/** Rows of the database, and the clusters in full. */
async function everythingKnown(world: World) {
  const { runtimes, clients } = world.services;
  const { pool } = world.database;
  const ids = await runtimeIds(world);
  const { rows: history } = await pool.query(
    'select operation_id, runtime_id, config, kyma is null as bare from configurations order by number',
  );
  return {
    stored: await Promise.all(ids.map((id) => runtimes.get(pool, id))),
    history,
    shoots: await clients.gardener.shoots.list(signal),
  };
}

/** Agents connect by themselves, and nobody waits for those of clusters without Kyma. */
async function agentsConnected({ landscape }: World): Promise<void> {
  const Runtimes = z.array(z.object({ condition: z.string() })).default([]);
  await eventually(async () => {
    const runtimes = Runtimes.parse(landscape.inventory()['director']?.['runtimes']);
    return runtimes.every(({ condition }) => condition === 'CONNECTED');
  });
}
