import assert from 'node:assert/strict';
import { test } from 'node:test';
import { operationFields, order, startProvisioner } from '../../../src/provisioner/testing.ts';
import {
  nothingCreated,
  provisioned,
  provisioning,
  refusal,
  rowsIn,
  shootName,
  shootsIn,
  stage,
  statusOf,
  untilAfter,
  uuid,
} from './world.ts';

const unknown = '11111111-2222-4333-8444-555555555555';

test('1: a valid provisionRuntime is answered with its operation, and leads to exactly one Shoot in the project', async () => {
  await using world = await startProvisioner();
  const headers = { 'sub-account': 'sa-1' };
  const { status, data, errors } = await world.graphql(provisioning(order('azure')), { headers });
  assert.deepEqual([status, errors], [200, []]);
  const begun: Record<string, string> = data?.['result'] ?? assert.fail('no result');
  const { operation, state, message, id = '', runtimeID = '' } = begun;
  assert.deepEqual(
    { operation, state, message },
    { operation: 'Provision', state: 'InProgress', message: 'Provisioning started' },
  );
  assert.match(id, uuid);
  assert.match(runtimeID, uuid);
  await untilAfter(world, id, 'WaitingForClusterDomain');
  assert.partialDeepStrictEqual(shootsIn(world), [{ namespace: 'garden-kyma', name: shootName }]);
  assert.equal(shootsIn(world).length, 1);
});

test('2: without a tenant nothing happens', async () => {
  await using world = await startProvisioner();
  const answer = await world.graphql(provisioning(order('azure')), { tenant: '' });
  const { code, message } = refusal(answer);
  assert.deepEqual([code, message], [400, 'tenant header is empty']);
  await nothingCreated(world);
});

test('3: input without a mandatory field is refused by the schema, with a number that says whose mistake it is', async () => {
  await using world = await startProvisioner();
  const answer = await world.graphql(provisioning(order('azure', { region: undefined })));
  assert.equal(answer.status, 422);
  assert.partialDeepStrictEqual(answer.errors[0]?.extensions, {
    code: 'GRAPHQL_VALIDATION_FAILED',
    error_code: 400,
  });
  await nothingCreated(world);
});

test('4: the status of an unknown runtime is not found', async () => {
  await using world = await startProvisioner();
  const answer = await world.graphql(
    `{ runtimeStatus(id: "${unknown}") { lastOperationStatus { id } } }`,
  );
  const { reason, component } = refusal(answer);
  assert.deepEqual([reason, component], ['err_db_not_found', 'db - provisioner']);
  assert.deepEqual(answer.data, { runtimeStatus: null });
});

test('5: an id that is no UUID is the mistake of the caller', async () => {
  await using world = await startProvisioner();
  const answer = await world.graphql('{ runtimeOperationStatus(id: "not-a-uuid") { id } }');
  const { code, message } = refusal(answer);
  assert.deepEqual([code, message], [400, 'id is "not-a-uuid": expected a UUID']);
});

test('6: an error of deprovisionRuntime leaves no data at all', async () => {
  await using world = await startProvisioner();
  const answer = await world.graphql(`mutation { deprovisionRuntime(id: "${unknown}") }`);
  assert.equal(refusal(answer).reason, 'err_db_not_found');
  assert.equal(answer.data, null);
});

test('7: the aliases, repeated fields and nested fragments of the broker are accepted', async () => {
  await using world = await startProvisioner();
  const { runtimeID } = await world.provision(order('aws'));
  const query = (id: string) => `query { result: runtimeStatus(id: "${id}") {
    lastOperationStatus { operation state message lastError { errMessage reason component } }
    runtimeConnectionStatus { status }
    runtimeConfiguration {
      kubeconfig
      clusterConfig {
        name kubernetesVersion volumeSizeGB diskType machineType region provider seed targetSecret diskType
        workerCidr autoScalerMin autoScalerMax maxSurge maxUnavailable
        providerSpecificConfig {
          ... on GCPProviderConfig { zones }
          ... on AzureProviderConfig { vnetCidr }
          ... on AWSProviderConfig { awsZones { ... on AWSZone { name publicCidr internalCidr workerCidr } } vpcCidr }
          ... on OpenStackProviderConfig { floatingPoolName }
        }
        oidcConfig { clientID groupsClaim issuerURL signingAlgs usernameClaim usernamePrefix }
      }
      kymaConfig { version }
    } } }`;
  assert.partialDeepStrictEqual(await world.result(query(runtimeID)), {
    runtimeConfiguration: {
      clusterConfig: { provider: 'aws', diskType: 'standard' },
      kymaConfig: null,
    },
  });
  assert.deepEqual(refusal(await world.graphql(query(unknown))).path, ['result']);
});

test('8: a mutation cannot be sent by GET, and a query only as JSON', async () => {
  await using world = await startProvisioner();
  const get = (query: string) =>
    fetch(`${world.url}/graphql?query=${encodeURIComponent(query)}`, {
      headers: { tenant: 'ga-1' },
    });
  assert.equal((await get(`mutation { deprovisionRuntime(id: "${unknown}") }`)).status, 406);
  assert.equal((await get('{ __typename }')).status, 200);
  const post = (type: string, body: string) =>
    fetch(`${world.url}/graphql`, { method: 'POST', headers: { 'content-type': type }, body });
  const body = JSON.stringify({ query: '{ __typename }' });
  assert.equal((await post('text/plain', body)).status, 400);
  assert.equal((await post('application/json', '{ "query": ')).status, 400);
  assert.equal((await post('application/json; charset=utf-8', body)).status, 200);
});

test('9: percent signs in a message of Gardener arrive unchanged', async () => {
  await using world = await startProvisioner();
  const { id } = await world.provision(order('azure'));
  await untilAfter(world, id, 'WaitingForClusterDomain');
  const description = '100% of the quota %s is used: %d of %!d(MISSING)';
  await stage(world, { state: 'Failed', type: 'Create', errors: [{ description }] });
  await world.pass(id);
  const { message, lastError } = await statusOf(world, id);
  assert.ok(message.includes(description), message);
  assert.equal(lastError.errMessage, message);
});

test('10: a foreign tenant learns nothing, and changes nothing', async () => {
  await using world = await startProvisioner();
  const { id, runtimeID } = await provisioned(world);
  const rows = await rowsIn(world);
  for (const query of [
    `{ runtimeStatus(id: "${runtimeID}") { lastOperationStatus { id } } }`,
    `{ runtimeOperationStatus(id: "${id}") ${operationFields} }`,
    `mutation { deprovisionRuntime(id: "${runtimeID}") }`,
  ]) {
    const { code, message } = refusal(await world.graphql(query, { tenant: 'ga-2' }));
    assert.equal(code, 400);
    assert.equal(message, 'provided tenant does not match tenant used to provision cluster');
  }
  const { rows: tenants } = await world.database.pool.query('select tenant from runtimes');
  assert.deepEqual(tenants, [{ tenant: 'ga-1' }]);
  assert.equal(await rowsIn(world), rows);
});
