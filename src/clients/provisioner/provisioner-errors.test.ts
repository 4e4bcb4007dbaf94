import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inspect } from 'node:util';
import { seconds } from '#time';
import { provisionerNotFound } from './provisioner-client.ts';
import type { ProvisionRuntimeInput, UpgradeShootInput } from './runtime-input.ts';
import {
  as,
  canary,
  clientOf,
  demo,
  failsWith,
  inventory,
  kymaConfig,
  next,
  provisioned,
  signal,
  stage,
  startProvisioner,
  tenant,
  unknownId,
  withCluster,
} from './testing.ts';

const refusal = (extensions?: object) => ({
  errors: [{ message: 'no', ...(extensions && { extensions }) }],
  data: { result: null },
});
const operation = { id: 'O', operation: 'Provision', state: 'InProgress', runtimeID: 'R' };

test('what the provisioner does not know is not found, be it a runtime or an operation', async () => {
  await using landscape = await startProvisioner();
  const client = clientOf(landscape);
  const upgrade: UpgradeShootInput = { gardenerConfig: {}, administrators: [] };
  const component = 'db - provisioner';
  const notFound = failsWith({ temporary: false, reason: provisionerNotFound, code: 2, component });
  for (const call of [
    () => client.runtimeStatus(tenant, unknownId, signal),
    () => client.runtimeOperationStatus(tenant, unknownId, signal),
    () => client.deprovisionRuntime(as('a'), unknownId, signal),
    () => client.upgradeShoot(as('a'), unknownId, upgrade, signal),
  ])
    await assert.rejects(call(), notFound);
});

for (const [sentence, extensions, expected] of [
  [
    'not found comes before the code',
    { error_code: 500, error_reason: 'err_db_not_found' },
    { temporary: false, reason: 'err_db_not_found' },
  ],
  ['code 400 is permanent', { error_code: 400 }, { temporary: false, code: 400 }],
  [
    'code 403 is permanent, with the reason of Kubernetes',
    { error_code: 403, error_reason: 'Forbidden', error_component: 'k8s client - gardener' },
    { temporary: false, code: 403, reason: 'Forbidden', component: 'k8s client - gardener' },
  ],
  ['code 499 is permanent', { error_code: 499 }, { temporary: false, code: 499 }],
  ['code 500 is temporary', { error_code: 500 }, { temporary: true, code: 500 }],
  ['code 502 is temporary', { error_code: 502 }, { temporary: true, code: 502 }],
  [
    'a code of the database is temporary',
    { error_code: 3, error_reason: 'err_db_already_exists' },
    { temporary: true, code: 3, reason: 'err_db_already_exists' },
  ],
  [
    'no code is temporary',
    { code: 'GRAPHQL_VALIDATION_FAILED' },
    { temporary: true, reason: 'err_provisioner_internal', component: 'provisioner' },
  ],
  ['no extensions are temporary', undefined, { temporary: true }],
] as const) {
  test(`errors are read in order: ${sentence}`, async () => {
    await using landscape = await startProvisioner();
    next(landscape, 200, refusal(extensions));
    const client = clientOf(landscape);
    await assert.rejects(client.runtimeStatus(tenant, unknownId, signal), failsWith(expected));
  });
}

test('a document that does not fit the schema is temporary, and begins nothing', async () => {
  await using landscape = await startProvisioner();
  const volumeSizeGB = 'big' as unknown as number; // as if the schema were newer, or older
  await assert.rejects(
    clientOf(landscape).provisionRuntime(as('a'), withCluster({ volumeSizeGB }), signal),
    failsWith({ temporary: true, status: 422, code: undefined }, /Int cannot represent/),
  );
  assert.deepEqual(inventory(landscape), { runtimes: [], clusters: [], operations: [] });
});

const imageless = withCluster({ machineImageVersion: '1.2' });
for (const [sentence, input, message] of [
  ['a machine image version without an image', imageless, /Machine Image Version passed/],
  [
    'disks on OpenStack',
    withCluster({ provider: 'openstack' }),
    /does not accept diskType or volumeSizeGb/,
  ],
  [
    'no settings of any provider',
    withCluster({ providerSpecificConfig: {} as { gcpConfig: { zones: [] } } }),
    /provider config not specified/,
  ],
  [
    'Kyma without components',
    { ...demo, kymaConfig: { version: '1.24.0', components: [] } },
    /components list is empty/,
  ],
] satisfies [string, ProvisionRuntimeInput, RegExp][]) {
  test(`${sentence}: refused for good`, async () => {
    await using landscape = await startProvisioner();
    const refused = failsWith({ temporary: false, code: 400 }, message);
    await assert.rejects(clientOf(landscape).provisionRuntime(as('a'), input, signal), refused);
    assert.deepEqual(inventory(landscape).runtimes, []);
  });
}

for (const [sentence, zone, message] of [
  ['another network', { name: 1, cidr: '10.1.0.0/19' }, /cannot change shoot network zone CIDR/],
  ['a zone more', { name: 2, cidr: '10.1.0.0/19' }, /extension of shoot network zones/],
] as const) {
  test(`an upgrade to ${sentence} is refused for good`, async () => {
    await using landscape = await startProvisioner();
    const client = clientOf(landscape);
    const id = await provisioned(landscape, client);
    const azureConfig = { vnetCidr: '10.250.0.0/16', azureZones: [zone] };
    const gardenerConfig = { providerSpecificConfig: { azureConfig } };
    await assert.rejects(
      client.upgradeShoot(as('a'), id, { gardenerConfig, administrators: [] }, signal),
      failsWith({ temporary: false, code: 400 }, message),
    );
  });
}

test('an empty tenant is refused for good', async () => {
  await using landscape = await startProvisioner();
  await assert.rejects(
    clientOf(landscape).runtimeStatus('', unknownId, signal),
    failsWith({ temporary: false, code: 400 }, /tenant header is empty/),
  );
});

test('a failure tells its last error, and one of empty texts is none', async () => {
  await using landscape = await startProvisioner();
  const client = clientOf(landscape);
  const { id, runtimeID } = await client.provisionRuntime(as('a'), demo, signal);
  const lastError = {
    errMessage: 'quota',
    reason: 'ERR_INFRA_QUOTA_EXCEEDED',
    component: 'gardener',
  };
  await stage(landscape, `operations/${id}`, { state: 'Failed', message: 'failed', lastError });
  const failed = await client.runtimeOperationStatus(tenant, id, signal);
  assert.partialDeepStrictEqual(failed, { state: 'Failed', message: 'failed', lastError });
  const { lastOperation, kubeconfig } = await client.runtimeStatus(tenant, runtimeID, signal);
  assert.deepEqual([lastOperation?.lastError, kubeconfig], [lastError, undefined]);
  for (const none of [null, { errMessage: '', reason: '', component: '' }]) {
    next(landscape, 200, { data: { result: { ...operation, state: 'Failed', lastError: none } } });
    const unexplained = await client.runtimeOperationStatus(tenant, 'O', signal);
    assert.equal(unexplained.lastError, undefined);
  }
});

test('states that nobody knows yet are passed on as they are', async () => {
  await using landscape = await startProvisioner();
  const client = clientOf(landscape);
  const unknown = { ...operation, operation: 'Freeze', state: 'Freezing' };
  next(landscape, 200, { data: { result: unknown } });
  const status = await client.runtimeOperationStatus(tenant, 'O', signal);
  assert.partialDeepStrictEqual(status, { ...unknown, message: '' });
});

test('a status with next to nothing in it is one, too', async () => {
  await using landscape = await startProvisioner();
  const runtimeConnectionStatus = { status: '' };
  const result = { runtimeConnectionStatus, runtimeConfiguration: { kubeconfig: null } };
  next(landscape, 200, { data: { result } });
  const status = await clientOf(landscape).runtimeStatus(tenant, 'R', signal);
  assert.ok(Object.values(status).every((each) => each === undefined));
});

test('no result, and members of another type, are wrong answers that name the field', async () => {
  await using landscape = await startProvisioner();
  const client = clientOf(landscape);
  const wrong = (field: RegExp) => failsWith({ temporary: true, reason: 'wrong_answer' }, field);
  next(landscape, 200, { data: { result: null } });
  await assert.rejects(client.provisionRuntime(as('a'), demo, signal), wrong(/data\.result: /));
  next(landscape, 200, { data: { result: '' } });
  await assert.rejects(client.deprovisionRuntime(as('a'), 'R', signal), wrong(/data\.result: /));
  next(landscape, 200, { data: { result: { ...operation, runtimeID: null } } });
  await assert.rejects(
    client.provisionRuntime(as('a'), demo, signal),
    wrong(/data\.result\.runtimeID: /),
  );
  const runtimeConfiguration = { kubeconfig: canary, clusterConfig: { autoScalerMax: canary } };
  next(landscape, 200, { data: { result: { runtimeConfiguration } } });
  await assert.rejects(
    client.runtimeStatus(tenant, 'R', signal),
    wrong(/data\.result\.runtimeConfiguration\.clusterConfig\.autoScalerMax: /),
  );
});

test('a page of a gateway is temporary, and its wish for patience is passed on', async () => {
  await using landscape = await startProvisioner();
  const client = clientOf(landscape);
  for (const status of [403, 404, 502]) {
    next(landscape, status, `<html>${canary}</html>`);
    await assert.rejects(
      client.runtimeStatus(tenant, 'R', signal),
      failsWith({ temporary: true, reason: 'err_http_status_code', status }),
    );
  }
  next(landscape, 429, '', { 'retry-after': '7' });
  await assert.rejects(
    client.runtimeStatus(tenant, 'R', signal),
    failsWith({ temporary: true, status: 429, retryAfter: seconds(7) }),
  );
});

test('a kubeconfig shows only when asked, and stays out of errors that come with it', async () => {
  await using landscape = await startProvisioner();
  const client = clientOf(landscape);
  const id = await provisioned(landscape, client, { ...demo, kymaConfig });
  await stage(landscape, `runtimes/${id}/kubeconfig`, { kubeconfig: canary });
  const status = await client.runtimeStatus(tenant, id, signal);
  assert.equal(status.kubeconfig?.reveal(), canary);
  for (const shown of [
    inspect(status, { depth: 9, showHidden: true }),
    JSON.stringify(status),
    String(status.kubeconfig),
    JSON.stringify(inventory(landscape)),
  ])
    assert.doesNotMatch(shown, new RegExp(canary));
  const result = { runtimeConfiguration: { kubeconfig: canary } };
  next(landscape, 200, { ...refusal({ error_code: 500 }), data: { result } });
  await assert.rejects(client.runtimeStatus(tenant, id, signal), failsWith({ code: 500 }));
});

test('a missing kubeconfig and one that is too short are told apart', async () => {
  await using landscape = await startProvisioner();
  const client = clientOf(landscape);
  const id = await provisioned(landscape, client);
  for (const kubeconfig of [null, 'short']) {
    await stage(landscape, `runtimes/${id}/kubeconfig`, { kubeconfig });
    const status = await client.runtimeStatus(tenant, id, signal);
    assert.equal(status.kubeconfig?.reveal() ?? null, kubeconfig);
  }
});

test('a message that may quote secret overrides is withheld', async () => {
  await using landscape = await startProvisioner();
  const client = clientOf(landscape);
  const quoting = { errors: [{ message: `unexpected "${canary}"` }] };
  const withheld = failsWith({ temporary: true, status: 422 }, /withheld/);
  next(landscape, 422, quoting);
  const input = { ...demo, kymaConfig };
  await assert.rejects(client.provisionRuntime(as('a'), input, signal), withheld);
  next(landscape, 422, quoting);
  await assert.rejects(client.upgradeRuntime(as('a'), unknownId, kymaConfig, signal), withheld);

  const profile = 'Huge' as 'Production'; // without a secret the complaint can be read
  const open = { ...demo, kymaConfig: { version: '1.24.0', profile, components: [] } };
  const readable = failsWith({ temporary: true, status: 422 }, /"Huge"/);
  await assert.rejects(client.provisionRuntime(as('a'), open, signal), readable);
});
