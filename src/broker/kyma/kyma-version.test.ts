import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startBroker } from '../testing.ts';
import { resolveKymaVersion } from './kyma-version.ts';

const { signal } = new AbortController();

test('the order counts before the subaccount, that before the account, and that before the landscape', async () => {
  await using world = await startBroker();
  const { instanceId } = await world.order('azure');
  const instance = (await world.instance(instanceId)) ?? assert.fail();
  const resolved = (changes: object) =>
    resolveKymaVersion(world.services, { ...instance, ...changes }, signal);
  world.landscape.faults.add({
    system: 'control-plane',
    path: '/configmaps/kyma-versions',
    action: {
      kind: 'answer',
      status: 200,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        metadata: { name: 'kyma-versions' },
        data: { 'SA_sa-7': '2.7.0', 'GA_ga-7': '2.6.0' },
      }),
    },
  });
  const ours = { globalAccount: 'ga-7', subaccount: 'sa-7' };
  assert.deepEqual(await resolved({ ...ours, parameters: { name: 'demo', kymaVersion: 'PR-1' } }), {
    version: 'PR-1',
    origin: 'parameters',
  });
  assert.deepEqual(await resolved(ours), { version: '2.7.0', origin: 'account-mapping' });
  assert.deepEqual(await resolved({ globalAccount: 'ga-7' }), {
    version: '2.6.0',
    origin: 'account-mapping',
  });
  assert.deepEqual(await resolved({}), { version: '2.18.0', origin: 'defaults' });
});
