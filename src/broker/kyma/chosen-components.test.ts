import assert from 'node:assert/strict';
import { test } from 'node:test';
import { chosenComponents, newOverrides } from './chosen-components.ts';

const inSystem = (name: string) => ({ name, namespace: 'kyma-system' });
const parts = {
  list: {
    prerequisites: [inSystem('istio')],
    components: [
      'backup',
      'backup-init',
      'nats-streaming',
      'knative-provisioner-natss',
      'knative-eventing-kafka',
      'Kiali',
      'tracing',
      'compass-runtime-agent',
    ].map(inSystem),
  },
  additional: [
    { component: 'btp-operator', namespace: 'kyma-system', url: 'https://example.com/btp' },
    { component: 'compass-runtime-agent', namespace: 'compass-system', url: 'https://example.com' },
  ],
};
const namesFor = (plan: string, overrides = newOverrides({})) =>
  chosenComponents(plan, parts, overrides).map(({ component }) => component);

for (const [plans, expected] of [
  [
    ['azure', 'azure_lite'],
    ['istio', 'knative-eventing-kafka', 'compass-runtime-agent'],
  ],
  [
    ['aws', 'gcp', 'openstack', 'trial', 'free'],
    ['istio', 'nats-streaming', 'knative-provisioner-natss', 'compass-runtime-agent'],
  ],
  [['own_cluster'], ['istio', 'nats-streaming', 'knative-provisioner-natss']],
] as const) {
  for (const plan of plans) {
    test(`${plan} gets ${expected.join(', ')}, in the order of the release`, () => {
      assert.deepEqual(namesFor(plan), expected);
    });
  }
}

test('optional components are there if the order names them, or a step asks for them', () => {
  const overrides = newOverrides({ components: ['kiali'] });
  overrides.enable('btp-operator');
  const names = namesFor('azure', overrides);
  assert.ok(names.includes('Kiali') && names.includes('btp-operator'), names.join());
  assert.ok(!names.includes('tracing'));
});

test('an additional component takes the place of one of the same name', () => {
  const overrides = newOverrides({});
  overrides.appendOverrides('compass-runtime-agent', [{ key: 'size', value: 'big' }]);
  assert.deepEqual(chosenComponents('azure', parts, overrides).at(-1), {
    component: 'compass-runtime-agent',
    namespace: 'compass-system',
    url: 'https://example.com',
    overrides: [{ key: 'size', value: 'big', secret: false }],
  });
});
