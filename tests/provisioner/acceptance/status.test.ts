import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pino } from 'pino';
import { parseAuditLogTenants } from '#provisioner';
import { minutes } from '#time';
import {
  literal,
  operationFields,
  order,
  startProvisioner,
  testSettings,
} from '../../../src/provisioner/testing.ts';
import { takeAway } from '../../../src/provisioner/api/testing.ts';
import { canary, kymaLite } from './kyma.ts';
import {
  allowHibernation,
  answering,
  changesOf,
  inCluster,
  provisioned,
  refuses,
  shootIn,
  signal,
  shootName,
  statusOf,
  succeeds,
  untilAfter,
  upgrade,
  type World,
} from './world.ts';

const runtimeStatus = (world: World, id: string, fields: string): Promise<never> =>
  world.result(`{ result: runtimeStatus(id: "${id}") { ${fields} } }`);

test('53: the status of a runtime that is being created has everything but a kubeconfig', async () => {
  await using world = await startProvisioner();
  const { id, runtimeID } = await world.provision(order('azure'));
  await untilAfter(world, id, 'WaitingForClusterDomain');
  const fields = `lastOperationStatus { id state } runtimeConnectionStatus { status errors { message } }
    runtimeConfiguration { kubeconfig clusterConfig { name provider } }`;
  assert.deepEqual(await runtimeStatus(world, runtimeID, fields), {
    lastOperationStatus: { id, state: 'InProgress' },
    runtimeConnectionStatus: { status: 'Pending', errors: null },
    runtimeConfiguration: {
      kubeconfig: null,
      clusterConfig: { name: shootName, provider: 'azure' },
    },
  });
  await succeeds(world, id);
  const ready: { runtimeConfiguration: { kubeconfig: string } } = await runtimeStatus(
    world,
    runtimeID,
    'runtimeConfiguration { kubeconfig }',
  );
  assert.match(
    ready.runtimeConfiguration.kubeconfig,
    /current-context: [^]*certificate-authority-data: /,
  );
});

test('54: without OIDC there is an object of empty texts', async () => {
  await using world = await startProvisioner();
  const { runtimeID } = await world.provision(order('azure'));
  const fields = `runtimeConfiguration { clusterConfig {
    oidcConfig { clientID groupsClaim issuerURL signingAlgs usernameClaim usernamePrefix } } }`;
  assert.deepEqual(await runtimeStatus(world, runtimeID, fields), {
    runtimeConfiguration: {
      clusterConfig: {
        oidcConfig: {
          clientID: '',
          groupsClaim: '',
          issuerURL: '',
          signingAlgs: [],
          usernameClaim: '',
          usernamePrefix: '',
        },
      },
    },
  });
});

/** Every row of every table, as text. */
async function dump({ database }: World): Promise<string> {
  const { rows: tables } = await database.pool.query<{ name: string }>(
    `select table_name as name from information_schema.tables where table_schema = current_schema()`,
  );
  const contents = [];
  for (const { name } of tables) {
    const { rows } = await database.pool.query(`select * from "${name}"`);
    contents.push(name, JSON.stringify(rows));
  }
  return contents.join('\n');
}

test('55: neither kubeconfigs nor user ids nor secret overrides are in the database in clear', async () => {
  const lines: string[] = [];
  const log = pino({ level: 'trace' }, { write: (line: string) => lines.push(line) });
  await using world = await startProvisioner({ log });
  const { runtimeID } = await provisioned(world, order('azure', {}, { kymaConfig: kymaLite }));
  const administrators = ['canary-user'];
  const { id } = await upgrade(world, runtimeID, { autoScalerMax: 8 }, { administrators });
  await succeeds(world, id);
  const change = `mutation { result: upgradeRuntime(id: "${runtimeID}", config: { kymaConfig: ${literal({ ...kymaLite, version: '2.0.4' })} }) ${operationFields} }`;
  const upgraded: { id: string } = await world.result(change);
  await succeeds(world, upgraded.id);
  const found = await world.services.clients.gardener.shoots.adminKubeconfig(shootName, signal);
  const server = /server: \S+/.exec(found?.kubeconfig.reveal() ?? '')?.[0];
  assert.ok(server !== undefined);
  const [tables, logs] = [await dump(world), lines.join('\n')];
  assert.ok(
    tables.includes(shootName) && tables.includes('Change_Kyma') && logs.includes(runtimeID),
  );
  for (const secret of [canary, 'canary-user', 'user-1', server, 'certificate-authority-data']) {
    assert.ok(!tables.includes(secret), `the database contains ${secret}`);
    assert.ok(!logs.includes(secret), `the log contains ${secret}`);
  }
});

test('55: secret overrides end in Secrets of the cluster, and no status shows them', async () => {
  await using world = await startProvisioner();
  const { runtimeID } = await provisioned(world, order('azure', {}, { kymaConfig: kymaLite }));
  const values = async (plural: string) => {
    const held = await inCluster(world, `/api/v1/namespaces/kyma-installer/${plural}`);
    return held.flatMap(({ data = {} }) => Object.entries(data));
  };
  const sealed = Buffer.from(canary).toString('base64');
  assert.deepEqual(await values('secrets'), [
    ['agent.password', sealed],
    ['global.password', sealed],
  ]);
  const open = Object.fromEntries(await values('configmaps'));
  assert.equal(open['global.domainName'], 'kyma.example.com');
  assert.ok(!JSON.stringify(open).includes(canary));
  const fields = `runtimeConfiguration { kymaConfig {
    version configuration { key value secret } components { component configuration { key value secret } } } }`;
  const status = await runtimeStatus(world, runtimeID, fields);
  assert.ok(!JSON.stringify(status).includes(canary));
  assert.partialDeepStrictEqual(status, {
    runtimeConfiguration: {
      kymaConfig: { configuration: [{}, { key: 'global.password', value: '', secret: true }] },
    },
  });
});

const connection = 'runtimeConnectionStatus { status errors { message } }';
const reconnect = (world: World, id: string): Promise<string> =>
  world.result(`mutation { result: reconnectRuntimeAgent(id: "${id}") }`);
const agentToken = async (world: World) => {
  const secrets = await inCluster(world, '/api/v1/namespaces/kyma-system/secrets');
  const own = secrets.find(({ metadata }) => metadata.name === 'compass-agent-configuration');
  return own?.data?.['TOKEN'];
};

test('56: the agent of a runtime is connected anew, with a new token', async () => {
  await using world = await startProvisioner();
  const { runtimeID } = await provisioned(world);
  const before = await agentToken(world);
  const id = await reconnect(world, runtimeID);
  assert.equal((await statusOf(world, id)).operation, 'ReconnectRuntime');
  assert.partialDeepStrictEqual(await runtimeStatus(world, runtimeID, connection), {
    runtimeConnectionStatus: { status: 'Pending', errors: null },
  });
  await succeeds(world, id);
  assert.notEqual(await agentToken(world), before);
  assert.partialDeepStrictEqual(await runtimeStatus(world, runtimeID, connection), {
    runtimeConnectionStatus: { status: 'Connected', errors: null },
  });
});

test('56: an agent that never connects is disconnected at the time limit', async () => {
  const limits = { ...testSettings.limits, agentConnection: minutes(20) };
  await using world = await startProvisioner({ settings: { limits } });
  const { runtimeID } = await provisioned(world);
  const unreachable = { system: 'director', path: '/connector/graphql' };
  world.landscape.faults.add(answering(unreachable, 500));
  const id = await reconnect(world, runtimeID);
  await world.pass(id);
  const { state, lastError } = await statusOf(world, id);
  assert.deepEqual([state, lastError.reason], ['Failed', 'err_provisioner_timeout']);
  assert.partialDeepStrictEqual(await runtimeStatus(world, runtimeID, connection), {
    runtimeConnectionStatus: {
      status: 'Disconnected',
      errors: [{ message: lastError.errMessage }],
    },
  });
});

test('57: Kyma is upgraded, and the record of a failed upgrade can be rolled back', async () => {
  const limits = { ...testSettings.limits, installation: minutes(30) };
  await using world = await startProvisioner({ settings: { limits } });
  const kymaConfig = { ...kymaLite, version: '1.19.1' };
  const { runtimeID } = await provisioned(world, order('azure', {}, { kymaConfig }));
  const fields =
    'runtimeConfiguration { kymaConfig { version } } lastOperationStatus { operation }';
  const has = (operation: string, version: string) => ({
    runtimeConfiguration: { kymaConfig: { version } },
    lastOperationStatus: { operation },
  });
  const upgradeTo = async (version: string) => {
    const config = literal({ kymaConfig: { ...kymaConfig, version } });
    const begun: { id: string } = await world.result(
      `mutation { result: upgradeRuntime(id: "${runtimeID}", config: ${config}) ${operationFields} }`,
    );
    return (await world.pass(begun.id)).state;
  };
  const rollBack = `mutation { result: rollBackUpgradeOperation(id: "${runtimeID}") { ${fields} } }`;
  const onlyUpgrades =
    /^upgrade can be rolled back only if it is the last operation that is already finished$/;
  await refuses(world, rollBack, onlyUpgrades);
  assert.equal(await upgradeTo('1.24.10'), 'succeeded');
  assert.deepEqual(await runtimeStatus(world, runtimeID, fields), has('Upgrade', '1.24.10'));
  assert.equal(await upgradeTo('1.24.11-bad'), 'failed');
  assert.deepEqual(await runtimeStatus(world, runtimeID, fields), has('Upgrade', '1.24.11-bad'));
  assert.deepEqual(await world.result(rollBack), has('Upgrade', '1.24.10'));
  assert.deepEqual(await world.result(rollBack), has('Upgrade', '1.24.10'));
});

test('58: a cluster is put to sleep if Gardener says that it can be', async () => {
  await using world = await startProvisioner();
  const { runtimeID } = await provisioned(world);
  const hibernate = `mutation { result: hibernateRuntime(id: "${runtimeID}") ${operationFields} }`;
  const fields =
    'hibernationStatus { hibernated hibernationPossible } runtimeConfiguration { kubeconfig }';
  const status = (): Promise<{ hibernationStatus: object; runtimeConfiguration: object }> =>
    runtimeStatus(world, runtimeID, fields);
  await allowHibernation(world, false);
  await refuses(
    world,
    hibernate,
    /^cannot hibernate cluster: ValidatingWebhookConfiguration "policies"/,
  );
  assert.deepEqual((await status()).hibernationStatus, {
    hibernated: false,
    hibernationPossible: false,
  });
  await allowHibernation(world, true);
  const begun: { id: string } = await world.result(hibernate);
  assert.equal((await statusOf(world, begun.id)).operation, 'Hibernate');
  await succeeds(world, begun.id);
  const { hibernationStatus, runtimeConfiguration } = await status();
  assert.deepEqual(hibernationStatus, { hibernated: true, hibernationPossible: true });
  assert.deepEqual(runtimeConfiguration, { kubeconfig: null });
  assert.partialDeepStrictEqual((await shootIn(world)).spec, { hibernation: { enabled: true } });

  await succeeds(world, (await upgrade(world, runtimeID, { autoScalerMax: 8 })).id);
  assert.deepEqual((await status()).hibernationStatus, hibernationStatus);
  await succeeds(world, await world.deprovision(runtimeID));
});

test('59: healthy, counted, and not ready while the database is away', async () => {
  await using world = await startProvisioner();
  const get = async (path: string) => {
    const response = await fetch(`${world.url}${path}`);
    return { status: response.status, text: await response.text() };
  };
  const { id } = await world.provision(order('azure'));
  await untilAfter(world, id, 'CreatingShoot');
  const { text } = await get('/metrics');
  assert.match(text, /^kcp_provisioner_in_progress_provision_operations_total 1$/m);
  assert.match(text, /^kcp_provisioner_in_progress_deprovision_operations_total 0$/m);
  assert.match(
    text,
    /^kcp_provisioner_open_operations\{type="provision",state="in progress"\} 1$/m,
  );
  const ok = { status: 200, text: 'ok' };
  assert.deepEqual([await get('/healthz'), await get('/readyz')], [ok, ok]);
  await using away = await takeAway(world.database);
  assert.deepEqual(await get('/healthz'), ok);
  const unready = { status: 503, text: 'the database cannot be reached' };
  assert.deepEqual(await get('/readyz'), unready);
  await away.bringBack();
  assert.deepEqual(await get('/readyz'), ok);
  await succeeds(world, id);
});

test('60: audit logs go to the tenant of the region, written once', async () => {
  const tenant = { tenantID: 'tenant-1', serviceURL: 'https://auditlog', secretName: 'auditlog' };
  const file = JSON.stringify({ azure: { westeurope: tenant } });
  const auditLogTenants = async () => parseAuditLogTenants(file);
  await using world = await startProvisioner({ settings: { auditLogTenants } });
  const { runtimeID } = await provisioned(world);
  const parts = async () => {
    const { extensions, resources = [] } = (await shootIn(world)).spec;
    const services = extensions.filter(({ type }) => type === 'shoot-auditlog-service');
    return [services, resources];
  };
  const expected = [
    [
      {
        type: 'shoot-auditlog-service',
        providerConfig: {
          apiVersion: 'service.auditlog.extensions.gardener.cloud/v1alpha1',
          kind: 'AuditlogConfig',
          type: 'standard',
          tenantID: 'tenant-1',
          serviceURL: 'https://auditlog',
          secretReferenceName: 'auditlog-credentials',
        },
      },
    ],
    [
      {
        name: 'auditlog-credentials',
        resourceRef: { apiVersion: 'v1', kind: 'Secret', name: 'auditlog' },
      },
    ],
  ];
  assert.deepEqual(await parts(), expected);
  const before = changesOf(world);
  await succeeds(world, (await upgrade(world, runtimeID, { autoScalerMax: 8 })).id);
  assert.equal(changesOf(world), before + 1); // the upgrade itself
  assert.deepEqual(await parts(), expected);
});

test('60: a region without a tenant is worth a warning, and nothing else', async () => {
  const lines: string[] = [];
  const log = pino({ level: 'warn' }, { write: (line: string) => lines.push(line) });
  const auditLogTenants = async () => parseAuditLogTenants('{ "azure": {} }');
  await using world = await startProvisioner({ log, settings: { auditLogTenants } });
  await provisioned(world);
  assert.match(lines.join(), /there is no audit log tenant for azure in region westeurope/);
  const { extensions } = (await shootIn(world)).spec;
  assert.ok(!extensions.some(({ type }) => type === 'shoot-auditlog-service'));
});
