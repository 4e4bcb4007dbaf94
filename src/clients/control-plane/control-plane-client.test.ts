import assert from 'node:assert/strict';
import { test } from 'node:test';
import { configMalformed } from './config-error.ts';
import { demoKymaVersion, failsWith, signal, startControlPlane } from './testing.ts';

const account = { globalAccountId: 'ga-1', subaccountId: 'sa-1' };

test('a subaccount has its own version, or that of its global account, or none', async () => {
  await using controlPlane = await startControlPlane({ settings: { versionsName: 'versions' } });
  const { client } = controlPlane;
  assert.equal(await client.kymaVersionOf(account, signal), undefined);
  await controlPlane.configMap(
    'versions',
    {},
    { 'GA_ga-1': '3.0.0', 'SA_sa-2': '3.1.0', 'SA_sa-3': '' },
  );
  const versionOf = (subaccountId: string, globalAccountId = 'ga-1') =>
    client.kymaVersionOf({ globalAccountId, subaccountId }, signal);
  assert.equal(await versionOf('sa-1'), '3.0.0');
  assert.equal(await versionOf('sa-2'), '3.1.0');
  assert.equal(await versionOf('sa-3'), '3.0.0');
  assert.equal(await versionOf('sa-1', 'ga-2'), undefined);
});

test('versions of accounts are in kyma-versions of kcp-system unless told otherwise', async () => {
  await using controlPlane = await startControlPlane();
  const demo = { ...account, globalAccountId: 'demo' };
  assert.equal(await controlPlane.client.kymaVersionOf(demo, signal), demoKymaVersion);
  await using other = await startControlPlane({ settings: { namespace: 'kyma-system' } });
  assert.equal(await other.client.kymaVersionOf(demo, signal), undefined);
});

test('the policy of the landscape can be read', async () => {
  await using controlPlane = await startControlPlane();
  assert.partialDeepStrictEqual(await controlPlane.client.maintenancePolicy(signal), {
    rules: [{ match: { plan: 'trial|free' } }, { match: { region: 'europe|eu-' }, days: ['Sat'] }],
    default: { days: ['Sat', 'Sun'], timeBegin: '210000+0000', timeEnd: '230000+0000' },
  });
});

test('a policy may be missing, and so may everything in it', async () => {
  await using controlPlane = await startControlPlane({ settings: { orchestrationName: 'own' } });
  const read = () => controlPlane.client.maintenancePolicy(signal);
  assert.equal(await read(), undefined);
  await controlPlane.configMap('own', {}, {});
  assert.equal(await read(), undefined);
  await controlPlane.removeConfigMap('own');
  await controlPlane.configMap('own', {}, { maintenancePolicy: '{"rules":[{}]}' });
  const anyTime = { days: [], timeBegin: '', timeEnd: '' };
  assert.deepEqual(await read(), { rules: [{ ...anyTime, match: {} }], default: anyTime });
});

for (const [what, text, message] of [
  ['what is not JSON', '{', /ConfigMap own, key maintenancePolicy: cannot be read: /],
  [
    'an unknown day',
    '{"default":{"days":["Caturday"]}}',
    /default\.days\.0: .*"Sat".*found "Caturday"/,
  ],
  [
    'an impossible time',
    '{"rules":[{"timeEnd":"990000"}]}',
    /rules\.0\.timeEnd: .*210000\+0000, found "990000"/,
  ],
  ['a broken pattern', '{"rules":[{"match":{"plan":"("}}]}', /rules\.0\.match\.plan: .*found "\("/],
  [
    'a match by an unknown property',
    '{"rules":[{"match":{"plam":"a"}}]}',
    /rules\.0\.match: .*plam/,
  ],
] as const) {
  test(`in a policy, ${what} is malformed, and the error names the field`, async () => {
    await using controlPlane = await startControlPlane({ settings: { orchestrationName: 'own' } });
    await controlPlane.configMap('own', {}, { maintenancePolicy: text });
    const malformed = failsWith({ temporary: false, reason: configMalformed });
    await assert.rejects(controlPlane.client.maintenancePolicy(signal), (error: Error) => {
      assert.match(error.message, message);
      return malformed(error);
    });
  });
}

test('a cluster that fails or cannot be reached is temporary, for whatever is read', async () => {
  await using controlPlane = await startControlPlane();
  const { client, landscape } = controlPlane;
  const wanted = { planName: 'aws', kymaVersion: demoKymaVersion };
  const reads = [
    () => client.brokerConfig(wanted, signal),
    () => client.defaultOverrides(wanted, signal),
    () => client.kymaVersionOf(account, signal),
    () => client.maintenancePolicy(signal),
  ];
  const system = 'control-plane';
  for (const read of reads) {
    landscape.faults.remove();
    landscape.faults.add({ system, action: { kind: 'answer', status: 503 } });
    await assert.rejects(read(), failsWith({ temporary: true, status: 503 }));
    landscape.faults.remove();
    landscape.faults.add({ system, action: { kind: 'reset' } });
    await assert.rejects(read(), failsWith({ temporary: true, reason: 'unreachable' }));
  }
});

test('who may not read the configuration is told so, for good', async () => {
  await using controlPlane = await startControlPlane();
  controlPlane.landscape.faults.add({
    system: 'control-plane',
    action: { kind: 'answer', status: 403, body: '{"kind":"Status","reason":"Forbidden"}' },
  });
  await assert.rejects(
    controlPlane.client.kymaVersionOf(account, signal),
    failsWith({ temporary: false, reason: 'Forbidden', status: 403 }),
  );
});
