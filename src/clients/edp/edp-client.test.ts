import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seconds } from '#time';
import { startLandscape, type Landscape } from '../../landscape/testing.ts';
import { edpClient, edpConflict, type EdpSettings } from './edp-client.ts';
import { failuresOf } from '../testing.ts';

const { signal } = new AbortController();
const tenant = { name: '5f0c7f1a', environment: 'dev' };
const region = { key: 'maasConsumerRegion', value: 'cf-eu10' };
const canary = 'canary-secret';

const clientOf = (landscape: Landscape, more: Partial<EdpSettings> = {}) =>
  edpClient({
    url: `${landscape.url}/edp`,
    authUrl: `${landscape.url}/edp`,
    namespace: 'kyma',
    secret: canary,
    ...more,
  });

const failsWith = failuresOf('edp', canary);

test('a data tenant and its metadata are created and deleted', async () => {
  await using landscape = await startLandscape();
  const edp = clientOf(landscape);
  await edp.createDataTenant(tenant, 'dummy', signal);
  await edp.createMetadata(tenant, region, signal);
  assert.deepEqual(landscape.inventory()['edp'], {
    dataTenants: [
      {
        id: 'kyma/5f0c7f1a/dev',
        metadata: { maasConsumerRegion: 'cf-eu10' },
        askedBy: 'kyma-control-plane',
      },
    ],
  });
  await edp.deleteMetadata(tenant, region.key, signal);
  await edp.deleteDataTenant(tenant, signal);
  assert.deepEqual(landscape.inventory()['edp'], { dataTenants: [] });
});

test('deleting what is gone is a success, creating what exists a conflict', async () => {
  await using landscape = await startLandscape();
  const edp = clientOf(landscape);
  await edp.deleteMetadata(tenant, region.key, signal);
  await edp.deleteDataTenant(tenant, signal);
  await edp.createDataTenant(tenant, 'dummy', signal);
  const conflict = failsWith({ temporary: false, reason: edpConflict, status: 409 });
  await assert.rejects(edp.createDataTenant(tenant, 'dummy', signal), conflict);
});

for (const [status, temporary, reason] of [
  [200, false, 'err_edp_other'],
  [400, false, 'err_edp_bad_request'],
  [403, false, 'err_edp_other'],
  [404, false, 'err_edp_not_found'],
  [408, true, 'err_edp_timeout'],
  [429, true, 'err_edp_other'],
  [500, true, 'err_edp_other'],
] as const) {
  test(`status ${status} for a create is ${temporary ? 'temporary' : 'permanent'}, ${reason}`, async () => {
    await using landscape = await startLandscape();
    landscape.faults.add({
      system: 'edp',
      path: 'dataTenants',
      probability: 1,
      action: {
        kind: 'answer',
        status,
        body: canary,
        headers: status === 429 ? { 'retry-after': '7' } : {},
      },
    });
    await assert.rejects(
      clientOf(landscape).createDataTenant(tenant, 'dummy', signal),
      failsWith({ temporary, reason, status, ...(status === 429 && { retryAfter: seconds(7) }) }),
    );
  });
}

test('one token serves many calls, and is fetched anew when it expires and when it is refused', async () => {
  await using landscape = await startLandscape();
  const edp = clientOf(landscape);
  const issued = () => landscape.requests.filter(({ path }) => path === '/oauth2/token').length;
  await Promise.all(
    ['a', 'b', 'c'].map((name) => edp.createDataTenant({ ...tenant, name }, 'x', signal)),
  );
  assert.equal(issued(), 1);
  landscape.time.advance(seconds(3601)); // for the simulated system alone: the client still trusts it
  await edp.deleteDataTenant(tenant, signal);
  assert.equal(issued(), 2);
});

test('a connection that breaks is temporary, also after the work was done', async () => {
  await using landscape = await startLandscape();
  const edp = clientOf(landscape);
  const unreachable = failsWith({ temporary: true, reason: 'unreachable' });
  for (const kind of ['reset', 'lost answer'] as const) {
    landscape.faults.add({
      system: 'edp',
      path: 'dataTenants',
      count: 1,
      probability: 1,
      action: { kind },
    });
    await assert.rejects(edp.createDataTenant({ ...tenant, name: kind }, 'x', signal), unreachable);
  }
  assert.deepEqual(
    landscape.inventory()['edp']?.['dataTenants']?.map((each) => (each as { id: string }).id),
    ['kyma/lost answer/dev'],
  );
});

test('a call ends at its timeout and at its signal', async () => {
  await using landscape = await startLandscape();
  landscape.faults.add({ system: 'edp', probability: 1, action: { kind: 'delay', for: 60_000 } });
  const edp = clientOf(landscape, { timeout: 20 });
  await assert.rejects(
    edp.deleteDataTenant(tenant, signal),
    failsWith({ temporary: true, reason: 'unreachable' }),
  );
  const reason = new Error('canceled');
  await assert.rejects(edp.deleteDataTenant(tenant, AbortSignal.abort(reason)), reason);
});

test('a system that keeps failing is left alone for a while', async () => {
  await using landscape = await startLandscape();
  landscape.faults.add({
    system: 'edp',
    path: 'dataTenants',
    probability: 1,
    action: { kind: 'answer', status: 503, body: '', headers: {} },
  });
  const edp = clientOf(landscape, { breakAfter: 3 });
  for (let n = 0; n < 3; n += 1)
    await assert.rejects(edp.deleteDataTenant(tenant, signal), failsWith({ status: 503 }));
  const asked = landscape.requests.length;
  await assert.rejects(
    edp.deleteDataTenant(tenant, signal),
    failsWith({ temporary: true, reason: 'left_alone' }),
  );
  assert.equal(landscape.requests.length, asked);
});
