import assert from 'node:assert/strict';
import { test } from 'node:test';
import { token as controlPlaneToken } from './control-plane/testing.ts';
import {
  basic,
  bearer,
  gardenToken,
  login,
  provisionRuntime,
  shoot,
  shoots,
  startKept,
  tokenOf,
  type Json,
  type Kept,
} from './kept-landscape.ts';

/** Something of every kind, in every system. */
const orders: Readonly<Record<string, (kept: Kept) => Promise<unknown>>> = {
  async edp(kept) {
    const token = await tokenOf(kept, 'edp', '/oauth2/token', { client_id: 'edp-namespace;kyma' });
    const tenants = '/namespaces/kyma/dataTenants';
    const tenant = { name: 'tenant-1', environment: 'prod', secret: 's' };
    await kept.call('edp', 'POST', tenants, tenant, token);
    const entry = { key: 'plan', value: 'azure' };
    return kept.call('edp', 'POST', `${tenants}/tenant-1/prod/metadata`, entry, token);
  },
  async avs(kept) {
    const form = new URLSearchParams({ grant_type: 'password', username: 'u', password: 'p' });
    const answer = await kept.call('avs', 'POST', '/oauth/token', form, basic('avs', ''));
    const evaluation = {
      definition_type: 'BASIC',
      name: 'evaluation',
      description: '',
      service: 'kyma',
      url: 'https://example.com',
      check_type: 'HTTPSGET',
      interval: 180,
      tester_access_id: 1,
      timeout: 30_000,
      read_only: false,
      content_check: '',
      content_check_type: '',
      threshold: '30',
      group_id: 1,
      visibility: 'PUBLIC',
      parent_id: 5,
      tags: null,
    };
    const token = bearer(answer['access_token']);
    return kept.call('avs', 'POST', '/api/v2/evaluationmetadata', evaluation, token);
  },
  ias: (kept) =>
    kept.call(
      'ias',
      'POST',
      '/service/sps',
      new URLSearchParams({ company_id: 'global', sp_name: 'provider' }),
      basic('me', 'secret'),
    ),
  async lms(kept) {
    const tenant = {
      name: 'tenant',
      region: 'eu',
      samlGroups: ['g'],
      clusterType: 'ha',
      datacenter: 'd',
      environment: 'e',
      project: 'p',
      samlTenant: 's',
      costcenter: 1,
      globalAccountID: 'a',
    };
    return kept.call('lms', 'POST', '/tenants', tenant, { 'x-lms-token': 't' });
  },
  async azure(kept) {
    const form = { resource: 'https://management.azure.com/' };
    const token = await tokenOf(kept, 'azure', '/tenant/oauth2/token?api-version=1.0', form);
    const group = '/subscriptions/s/resourceGroups/group';
    const wanted = { location: 'westeurope', tags: {} };
    await kept.call('azure', 'PUT', `${group}?api-version=2019-05-01`, wanted, token);
    const namespace = `${group}/providers/Microsoft.EventHub/namespaces/namespace`;
    return kept.call('azure', 'PUT', `${namespace}?api-version=2017-04-01`, wanted, token);
  },
  aws: (kept) => kept.call('aws', 'PUT', '/_landscape/volumes/vol-1', { region: 'eu-central-1' }),
  'service-manager': (kept) =>
    kept.call(
      'service-manager',
      'PUT',
      '/v1/osb/broker-security/v2/service_instances/i?accepts_incomplete=true',
      {
        service_id: 'catalog-security-xsuaa',
        plan_id: 'catalog-security-xsuaa-application',
        parameters: { xsappname: 'app' },
      },
      { ...basic('me', 'secret'), 'x-broker-api-version': '2.14' },
    ),
  reconciler: (kept) =>
    kept.call('reconciler', 'PUT', '/v1/clusters', {
      runtimeID: 'runtime',
      runtimeInput: { name: 'runtime' },
      kymaConfig: { version: '2.0.0', profile: '', components: [] },
      metadata: {},
      kubeconfig: 'kind: Config',
    }),
  spc: (kept) =>
    kept.call('spc', 'POST', '/createMaintenanceEvent', {
      orchestrationId: 'o',
      eventType: '1',
      tenants: [{ instanceId: 'i' }],
    }),
  cis: (kept) => kept.call('cis', 'POST', '/_landscape/events', { subaccountIds: ['s'] }),
  async issuer(kept) {
    await kept.call('issuer', 'POST', '/_rotate');
    await kept.call(
      'issuer',
      'POST',
      '/device_authorization',
      new URLSearchParams({ client_id: 'kcp' }),
    );
    return login(kept);
  },
  provisioner: (kept) =>
    kept.call('provisioner', 'POST', '/graphql', { query: provisionRuntime }, { tenant: 't' }),
  gardener: (kept) => kept.call('gardener', 'POST', shoots, shoot('cluster'), gardenToken),
  async director(kept) {
    const token = await tokenOf(kept, 'director', '/oauth2/token');
    const query = 'mutation { registerRuntime(in: { name: "runtime" }) { id } }';
    return kept.call('director', 'POST', '/graphql', { query }, { ...token, tenant: 't' });
  },
  'control-plane': (kept) =>
    kept.call(
      'control-plane',
      'POST',
      '/apis/operator.kyma-project.io/v1beta2/namespaces/kyma-system/kymas',
      {
        apiVersion: 'operator.kyma-project.io/v1beta2',
        kind: 'Kyma',
        metadata: { name: 'kyma' },
        spec: { channel: 'fast' },
      },
      bearer(controlPlaneToken),
    ),
  artifacts: (kept) => kept.call('artifacts', 'PUT', '/versions/1.2.3', {}),
};

test('something can be ordered from every system', async () => {
  await using kept = await startKept();
  const names = Object.keys(kept.landscape.inventory());
  assert.deepEqual(names.toSorted(), Object.keys(orders).toSorted());
});

for (const [system, order] of Object.entries(orders)) {
  test(`what was ordered from ${system} says who asked, and is still there after a restart`, async () => {
    await using kept = await startKept();
    const all = () => Object.values(kept.landscape.inventory()[system] ?? {}).flat();
    const atStart = new Set(all().map((item) => JSON.stringify(item)));
    await order(kept);
    const before = all();
    const ordered = before.filter((item) => !atStart.has(JSON.stringify(item)));
    assert.ok(ordered.length > 0);
    for (const item of ordered) assert.equal((item as Json)['askedBy'], 'orders/1.0');
    const others = before.filter((item) => !ordered.includes(item));
    assert.ok(others.every((item) => !Object.hasOwn(item as Json, 'askedBy')));
    await kept.restart();
    assert.deepEqual(all(), before);
  });
}
