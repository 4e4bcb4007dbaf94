import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inspect } from 'node:util';
import { configNotFound } from './config-error.ts';
import type { DefaultOverride } from './default-overrides.ts';
import { demoKymaVersion, failsWith, signal, startControlPlane } from './testing.ts';

const canary = 'canary-of-a-secret';
const ofSecrets = { 'runtime-override': 'true' };
const ofConfigMaps = { 'overrides-plan-aws': 'true', 'overrides-version-3.0.0-rc1': 'true' };
const wanted = { planName: 'aws', kymaVersion: '3.0.0-RC1' };

const revealed = (overrides: readonly DefaultOverride[] = []) =>
  overrides.map(({ key, value, secret }) => [key, secret ? value.reveal() : value, secret]);

test('every plan of the landscape has overrides at the default version', async () => {
  await using controlPlane = await startControlPlane();
  for (const planName of ['azure', 'azure_lite', 'trial', 'own_cluster']) {
    const { global, components } = await controlPlane.client.defaultOverrides(
      { planName, kymaVersion: demoKymaVersion },
      signal,
    );
    assert.deepEqual(revealed(global), [
      ['global.disableLegacyConnectivity', 'true', false],
      ['global.plan', planName, false],
    ]);
    assert.deepEqual(components, {});
  }
});

test('overrides come from Secrets of any plan and from ConfigMaps of this plan and version', async () => {
  await using controlPlane = await startControlPlane();
  await controlPlane.secret('all', ofSecrets, { password: canary });
  await controlPlane.secret(
    'nats',
    { ...ofSecrets, component: 'nats' },
    { 'nats.password': canary },
  );
  await controlPlane.secret('off', { 'runtime-override': 'false' }, { other: canary });
  await controlPlane.configMap('all', ofConfigMaps, { size: 'small' });
  await controlPlane.configMap('nats', { ...ofConfigMaps, component: 'nats' }, { disk: '10Gi' });
  const { 'overrides-plan-aws': _aws, ...ofVersion } = ofConfigMaps;
  await controlPlane.configMap('other', { ...ofVersion, 'overrides-plan-gcp': 'true' }, { a: 'b' });
  await controlPlane.configMap('older', { 'overrides-plan-aws': 'true' }, { c: 'd' });
  const { global, components } = await controlPlane.client.defaultOverrides(wanted, signal);
  assert.deepEqual(revealed(global), [
    ['password', canary, true],
    ['size', 'small', false],
  ]);
  assert.deepEqual(Object.keys(components), ['nats']);
  assert.deepEqual(revealed(components['nats']), [
    ['nats.password', canary, true],
    ['disk', '10Gi', false],
  ]);
});

test('values of Secrets show themselves to nobody', async () => {
  await using controlPlane = await startControlPlane();
  await controlPlane.secret('a', ofSecrets, { password: canary });
  await controlPlane.configMap('a', ofConfigMaps, { size: 'small' });
  const overrides = await controlPlane.client.defaultOverrides(wanted, signal);
  const shown = inspect(overrides, { depth: 9, showHidden: true }) + JSON.stringify(overrides);
  assert.ok(shown.includes('password'));
  assert.ok(!shown.includes(canary));
});

test('of equal keys that of the ConfigMap holds, as secret as before, and of several that of the last', async () => {
  await using controlPlane = await startControlPlane();
  await controlPlane.secret('a', ofSecrets, { size: 'secret', other: 'first' });
  await controlPlane.secret('b', ofSecrets, { other: 'second' });
  await controlPlane.secret('c', { ...ofSecrets, component: 'nats' }, { size: 'of its own' });
  await controlPlane.configMap('a', ofConfigMaps, { size: 'small' });
  await controlPlane.configMap('b', ofConfigMaps, { size: 'large' });
  const { global, components } = await controlPlane.client.defaultOverrides(wanted, signal);
  assert.deepEqual(revealed(global), [
    ['size', 'large', true],
    ['other', 'second', true],
  ]);
  assert.deepEqual(revealed(components['nats']), [['size', 'of its own', true]]);
});

for (const [what, labels, data] of [
  ['nothing', {}, {}],
  ['an empty ConfigMap', ofConfigMaps, {}],
  ['a ConfigMap for one component', { ...ofConfigMaps, component: 'nats' }, { disk: '10Gi' }],
] as const) {
  test(`${what} is not enough: one override must hold for all components`, async () => {
    await using controlPlane = await startControlPlane();
    await controlPlane.secret('a', ofSecrets, { password: canary });
    await controlPlane.configMap('a', labels, data);
    await assert.rejects(
      controlPlane.client.defaultOverrides(wanted, signal),
      failsWith({
        temporary: false,
        reason: configNotFound,
        message:
          'control-plane: no ConfigMap with overrides-plan-aws and overrides-version-3.0.0-rc1 has an override for all components',
      }),
    );
  });
}
