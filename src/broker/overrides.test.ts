import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Overrides } from './overrides.ts';

test('what was secret once stays secret, whoever sets it again', () => {
  const overrides = new Overrides();
  overrides.appendOverrides('istio', [{ key: 'password', value: 'first', secret: true }]);
  overrides.appendOverrides('istio', [{ key: 'password', value: 'second' }]);
  overrides.appendGlobalOverrides([{ key: 'token', value: 'first', secret: true }]);
  overrides.appendGlobalOverrides([{ key: 'token', value: 'second', secret: false }]);
  assert.deepEqual(overrides.of('istio'), [{ key: 'password', value: 'second', secret: true }]);
  assert.deepEqual(overrides.global, [{ key: 'token', value: 'second', secret: true }]);
});

test('overrides of a component are added to what is there, or take its place', () => {
  const overrides = new Overrides();
  overrides.appendOverrides('istio', [{ key: 'size', value: 'small' }]);
  overrides.appendOverrides('istio', [{ key: 'zone', value: 'a' }]);
  assert.deepEqual(
    overrides.of('istio').map(({ key }) => key),
    ['size', 'zone'],
  );
  overrides.setOverrides('istio', [{ key: 'only', value: 'this' }]);
  assert.deepEqual(overrides.of('istio'), [{ key: 'only', value: 'this' }]);
  assert.deepEqual(overrides.of('others'), []);
});

test('an optional component is left out until somebody asks for it; any other never is', () => {
  const overrides = new Overrides();
  overrides.disable('kiali');
  assert.equal(overrides.isLeftOut('kiali'), true);
  overrides.enable('kiali');
  assert.equal(overrides.isLeftOut('kiali'), false);
  assert.equal(overrides.isLeftOut('istio'), false);
});
