import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Registry } from 'prom-client';
import { startLandscape } from '../landscape/testing.ts';
import { clientMetrics } from './client-metrics.ts';
import { edpClient } from './edp/edp-client.ts';

test('calls are counted by system and by what came of them, and a system that is left alone is told', async () => {
  await using landscape = await startLandscape();
  const registry = new Registry();
  const edp = edpClient({
    url: `${landscape.url}/edp`,
    authUrl: `${landscape.url}/edp`,
    namespace: 'kyma',
    secret: 'any',
    breakAfter: 2,
    onCall: clientMetrics(registry, 'kcp_test'),
  });
  const tenant = { name: 'sa-1', environment: 'dev' };
  const { signal } = new AbortController();
  const create = () => edp.createDataTenant(tenant, 'dummy', signal);
  await create();
  await assert.rejects(create()); // it is there
  landscape.faults.add({
    system: 'edp',
    path: 'dataTenants',
    action: { kind: 'answer', status: 503 },
  });
  for (let time = 0; time < 3; time += 1) await assert.rejects(create());
  await assert.rejects(edp.createDataTenant(tenant, 'dummy', AbortSignal.abort()));
  const text = await registry.metrics();
  const count = (outcome: string) =>
    Number(
      new RegExp(
        `^kcp_test_system_call_duration_seconds_count\\{system="edp",outcome="${outcome}"\\} (\\d+)$`,
        'm',
      ).exec(text)?.[1],
    );
  assert.deepEqual(
    ['succeeded', 'refused', 'failed', 'left alone', 'canceled'].map(count),
    [2, 1, 2, 1, 1], // the token is a call, too
  );
  assert.match(text, /^kcp_test_system_breaker_state\{system="edp"\} 2$/m);
});
