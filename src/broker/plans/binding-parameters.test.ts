import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseBindingParameters, publishedBindingSchema } from './binding-parameters.ts';

test('a binding lasts ten minutes unless it asks for another time', () => {
  for (const input of [undefined, null, {}]) {
    assert.deepEqual(parseBindingParameters(input), { expiration_seconds: 600 });
  }
  assert.deepEqual(parseBindingParameters({ expiration_seconds: 7200 }), {
    expiration_seconds: 7200,
  });
});

const refused: readonly (readonly [input: unknown, message: RegExp])[] = [
  [
    { expiration_seconds: 599 },
    /expiration_seconds: Must be greater than or equal to 600 \(got 599\)$/,
  ],
  [
    { expiration_seconds: 7201 },
    /expiration_seconds: Must be less than or equal to 7200 \(got 7201\)$/,
  ],
  [{ expiration_seconds: '600' }, /Expected: integer, given: string/],
  [{ expires: 1 }, /Additional property expires is not allowed \(allowed: expiration_seconds\)$/],
  ['600', /Expected: object, given: string/],
];
for (const [input, message] of refused) {
  test(`a binding is refused with ${JSON.stringify(input)}`, () => {
    assert.throws(() => parseBindingParameters(input), { name: 'InvalidParameters', message });
  });
}

test('the catalog tells the limits', () => {
  assert.deepEqual(publishedBindingSchema['properties'], {
    expiration_seconds: {
      type: 'integer',
      minimum: 600,
      maximum: 7200,
      default: 600,
      title: 'Expiration in seconds',
      description: 'How long the kubeconfig can be used',
    },
  });
});
