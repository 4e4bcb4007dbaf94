import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  configuredComponents,
  missingIn,
  type ClusterConfiguration,
} from './cluster-configuration.ts';

const domain = 'c-1a2b3c4.kyma.example.com';
const istio = { component: 'istio', namespace: 'istio-system' };
const configurationWith = (components: ClusterConfiguration['kymaConfig']['components']) => ({
  runtimeID: 'R',
  runtimeInput: { name: 'demo', description: '' },
  kymaConfig: {
    version: '2.4.0',
    profile: 'Production' as const,
    components,
    administrators: [],
  },
  metadata: {
    globalAccountID: 'ga-1',
    subAccountID: 'sa-1',
    serviceID: 's',
    servicePlanID: 'p',
    servicePlanName: 'azure',
    shootName: 'c-1a2b3c4',
    instanceID: 'I',
    region: '',
  },
  kubeconfig: 'kind: Config',
});

test('every component gets the domain, then the global overrides, then its own', () => {
  const [first, second] = configuredComponents(
    [
      { ...istio, overrides: [{ key: 'own', value: 'x', secret: true }] },
      { ...istio, version: '1' },
    ],
    domain,
    [{ key: 'global', value: 'y' }],
  );
  assert.deepEqual(first, {
    URL: '',
    component: 'istio',
    namespace: 'istio-system',
    version: '',
    configuration: [
      { key: 'global.domainName', value: domain, secret: false },
      { key: 'global', value: 'y', secret: false },
      { key: 'own', value: 'x', secret: true },
    ],
  });
  assert.equal(second?.version, '1');
  assert.deepEqual(second.configuration, first.configuration.slice(0, 2));
});

test('the words true and false become booleans, all other values stay text', () => {
  const overrides = ['true', 'false', 'True', '1', ''].map((value) => ({ key: 'k', value }));
  const [component] = configuredComponents([{ ...istio, overrides }], domain);
  const values = component?.configuration.slice(1).map(({ value }) => value);
  assert.deepEqual(values, [true, false, 'True', '1', '']);
});

test('ids, the name of the shoot and the kubeconfig must be there; a region need not', () => {
  const complete = configurationWith([]);
  assert.deepEqual(missingIn(complete), []);
  const metadata = { ...complete.metadata, instanceID: '', shootName: '' };
  assert.deepEqual(missingIn({ ...complete, runtimeID: '', kubeconfig: '', metadata }), [
    'runtimeID',
    'metadata.instanceID',
    'metadata.shootName',
    'kubeconfig',
  ]);
});

test('the BTP operator needs all of its credentials, as text', () => {
  const keys = ['clientid', 'clientsecret', 'url', 'sm_url', 'tokenurl'].map(
    (key) => `manager.secret.${key}`,
  );
  const overrides = [...keys, 'cluster.id', 'manager.priorityClassName'].map((key) => ({
    key,
    value: 'v',
  }));
  const missingWith = (values: typeof overrides) => {
    const choice = { component: 'btp-operator', namespace: 'kyma-system', overrides: values };
    return missingIn(configurationWith(configuredComponents([choice], domain)));
  };
  assert.deepEqual(missingWith(overrides), []);
  assert.deepEqual(
    missingWith(overrides.with(1, { key: 'manager.secret.clientsecret', value: '' })),
    ['btp-operator: manager.secret.clientsecret'],
  );
  assert.deepEqual(missingWith(overrides.with(5, { key: 'cluster.id', value: 'true' })), [
    'btp-operator: cluster.id',
  ]);
  assert.equal(missingWith([]).length, 7);
});
