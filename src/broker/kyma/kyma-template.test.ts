import assert from 'node:assert/strict';
import { test } from 'node:test';
import { KymaTemplate } from '#clients';
import { withModules } from './kyma-template.ts';

const template = KymaTemplate.parse({
  apiVersion: 'operator.kyma-project.io/v1beta2',
  kind: 'Kyma',
  metadata: { namespace: 'kyma-system' },
  spec: { channel: 'regular', modules: [{ name: 'btp-operator' }] },
});
const usual = { channel: 'regular', modules: [{ name: 'btp-operator' }] };

for (const [what, wanted, spec] of [
  ['says nothing', undefined, usual],
  ['wants the usual modules', { default: true }, usual],
  [
    'wants the usual ones from another channel',
    { default: true, channel: 'fast' },
    { ...usual, channel: 'fast' },
  ],
  ['wants none', { default: false }, { channel: 'regular', modules: [] }],
  ['wants an empty list', { list: [] }, { channel: 'regular', modules: [] }],
  [
    'lists some',
    { list: [{ name: 'serverless', channel: 'fast' }] },
    { channel: 'regular', modules: [{ name: 'serverless', channel: 'fast' }] },
  ],
] as const) {
  test(`whoever ${what} gets a Kyma with ${JSON.stringify(spec)}`, () => {
    assert.deepEqual(withModules(template, wanted as Wanted).spec, spec);
  });
}
type Wanted = Parameters<typeof withModules>[1];
