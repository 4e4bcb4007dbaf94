import assert from 'node:assert/strict';
import { test } from 'node:test';
import { kymaMetadata, kymaResource, KymaTemplate } from './kyma-resource.ts';
import { facts, template } from './testing.ts';

const internal = 'operator.kyma-project.io/internal';

test('a Kyma is the template with the name, labels and annotation of the runtime', () => {
  const labels = {
    'kyma-project.io/instance-id': 'instance-1',
    'kyma-project.io/runtime-id': 'Runtime-1',
    'kyma-project.io/broker-plan-id': '361c511f-f939-4621-b228-d0fb79a1fe15',
    'kyma-project.io/broker-plan-name': 'aws',
    'kyma-project.io/global-account-id': 'ga-1',
    'kyma-project.io/subaccount-id': 'sa-1',
    'kyma-project.io/shoot-name': 'c-1234567',
    'kyma-project.io/region': 'eu-central-1',
    'operator.kyma-project.io/kyma-name': 'runtime-1',
    'operator.kyma-project.io/managed-by': 'lifecycle-manager',
  };
  const annotations = { 'skr-domain': 'c-1234567.kyma.example.com' };
  assert.deepEqual(kymaMetadata(facts), { name: 'runtime-1', labels, annotations });
  assert.deepEqual(kymaResource(template, facts), {
    ...template,
    metadata: {
      name: 'runtime-1',
      namespace: 'kyma-system',
      labels: { 'kyma-project.io/team': 'a', ...labels },
      annotations,
    },
  });
});

for (const [licenseType, isInternal] of [
  ['CUSTOMER', false],
  ['PARTNER', false],
  ['TRIAL', false],
  ['SAPDEV', true],
  ['customer', true],
  ['', true],
  [undefined, true],
] as const) {
  test(`a runtime with the licence ${licenseType ?? 'of nobody'} is ${isInternal ? '' : 'not '}internal`, () => {
    const { labels } = kymaMetadata({ ...facts, licenseType });
    assert.equal(labels[internal], isInternal ? 'true' : undefined);
  });
}

test('a template of either version is taken as it is, whatever else is in it', () => {
  for (const version of ['v1beta1', 'v1beta2']) {
    const apiVersion = `operator.kyma-project.io/${version}`;
    const given = { ...template, apiVersion, spec: { ...template.spec, sync: { enabled: true } } };
    assert.deepEqual(KymaTemplate.parse(given), given);
  }
});

for (const [field, wrong] of [
  ['apiVersion', { apiVersion: 'operator.kyma-project.io/v1alpha1' }],
  ['kind', { kind: 'Shoot' }],
  ['metadata.namespace', { metadata: { name: 'tbd' } }],
  ['spec', { spec: [] }],
] as const) {
  test(`a template with a wrong ${field} is refused by its name`, () => {
    const { error } = KymaTemplate.safeParse({ ...template, ...wrong });
    assert.deepEqual(
      error?.issues.map(({ path }) => path.join('.')),
      [field],
    );
  });
}
