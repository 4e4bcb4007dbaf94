import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seconds, type Milliseconds } from '#time';
import { spc as simulated, type MakeSystem } from '../../landscape/spc/testing.ts';
import { startLandscape, type Landscape } from '../../landscape/testing.ts';
import { spcClient } from './spc-client.ts';
import { failuresOf } from '../testing.ts';

const { signal } = new AbortController();
const start = () => startLandscape({ systems: [simulated] });
const clientOf = (landscape: Landscape, more: { timeout?: Milliseconds } = {}) =>
  spcClient({ url: `${landscape.url}/spc`, ...more });

// Made in the zone of this process, as the client writes them.
const at = (hour: number, second = 0) => new Date(2023, 8, 1, hour, 0, second);
const tenant = { instanceId: 'instance-1', start: at(20) };

const failsWith = failuresOf('spc', 'canary');

test('maintenance is announced, begins and ends', async () => {
  await using landscape = await start();
  const client = clientOf(landscape);
  const { instanceId } = tenant;
  const eventNow = () => landscape.inventory()['spc']?.['maintenanceEvents']?.[0];
  await client.createMaintenanceEvent('o-1', 'kyma', [tenant], signal);
  assert.deepEqual(eventNow(), {
    orchestrationId: 'o-1',
    eventType: '1',
    isCanceled: false,
    tenants: [{ instanceId, startDateTime: '2023-09-01 20:00:00', announced: 1 }],
    askedBy: 'kyma-control-plane',
  });
  await client.updateMaintenanceEvent(
    'o-1',
    [{ instanceId, state: 'under maintenance', start: at(20, 5) }],
    signal,
  );
  await client.updateMaintenanceEvent(
    'o-1',
    [{ instanceId, state: 'finished', end: at(21) }],
    signal,
  );
  assert.partialDeepStrictEqual(eventNow(), {
    tenants: [
      {
        startDateTime: '2023-09-01 20:00:05',
        endDateTime: '2023-09-01 21:00:00',
        eventState: '2',
      },
    ],
  });
});

test('maintenance of clusters in a window is announced with its end, in times that name their zone', async () => {
  await using landscape = await start();
  const window = {
    start: new Date('2023-09-01T20:00:00.500Z'),
    end: new Date('2023-09-02T00:00:00Z'),
  };
  await clientOf(landscape).createMaintenanceEvent(
    'o-1',
    'kubernetes',
    [{ instanceId: 'instance-1', ...window }],
    signal,
  );
  assert.partialDeepStrictEqual(landscape.inventory()['spc']?.['maintenanceEvents'], [
    {
      eventType: '0',
      tenants: [
        {
          startDateTime: '2023-09-01 20:00:00 +0000 UTC',
          endDateTime: '2023-09-02 00:00:00 +0000 UTC',
        },
      ],
    },
  ]);
});

test('maintenance is canceled for one customer, and for the others it comes', async () => {
  await using landscape = await start();
  const client = clientOf(landscape);
  await client.createMaintenanceEvent('o-1', 'kyma', [tenant], signal);
  await client.createMaintenanceEvent('o-1', 'kyma', [{ ...tenant, instanceId: 'i-2' }], signal);
  const { instanceId } = tenant;
  await client.updateMaintenanceEvent('o-1', [{ instanceId, state: 'cancelled' }], signal);
  assert.partialDeepStrictEqual(landscape.inventory()['spc']?.['maintenanceEvents'], [
    { isCanceled: false, tenants: [{ instanceId, eventState: '3' }, { instanceId: 'i-2' }] },
  ]);
});

test('maintenance is canceled, and canceling it again is no failure', async () => {
  await using landscape = await start();
  const client = clientOf(landscape);
  await client.createMaintenanceEvent('o-1', 'kyma', [tenant], signal);
  await client.cancelMaintenanceEvent('o-1', signal);
  await client.cancelMaintenanceEvent('o-1', signal);
  assert.partialDeepStrictEqual(landscape.inventory()['spc']?.['maintenanceEvents'], [
    { isCanceled: true },
  ]);
});

test('an announcement repeated after a lost answer reaches the customer twice', async () => {
  await using landscape = await start();
  const client = clientOf(landscape);
  landscape.faults.add({
    system: 'spc',
    count: 1,
    probability: 1,
    action: { kind: 'lost answer' },
  });
  await assert.rejects(
    client.createMaintenanceEvent('o-1', 'kyma', [tenant], signal),
    failsWith({ temporary: true, reason: 'unreachable' }),
  );
  await client.createMaintenanceEvent('o-1', 'kyma', [tenant], signal);
  assert.partialDeepStrictEqual(landscape.inventory()['spc']?.['maintenanceEvents'], [
    { tenants: [{ announced: 2 }] },
  ]);
});

test('what was never announced is not found', async () => {
  await using landscape = await start();
  const client = clientOf(landscape);
  const notFound = failsWith({ temporary: false, status: 404 });
  await assert.rejects(client.cancelMaintenanceEvent('o-1', signal), notFound);
  await client.createMaintenanceEvent('o-1', 'kyma', [tenant], signal);
  await assert.rejects(
    client.updateMaintenanceEvent(
      'o-1',
      [{ instanceId: 'instance-2', state: 'finished', end: at(21) }],
      signal,
    ),
    notFound,
  );
});

for (const [status, temporary] of [
  [202, false],
  [400, false],
  [404, false],
  [408, true],
  [429, true],
  [500, true],
  [503, true],
] as const) {
  test(`status ${status} is ${temporary ? 'temporary' : 'permanent'}`, async () => {
    await using landscape = await start();
    landscape.faults.add({
      system: 'spc',
      probability: 1,
      action: {
        kind: 'answer',
        status,
        body: 'canary',
        headers: status === 429 ? { 'retry-after': '7' } : {},
      },
    });
    await assert.rejects(
      clientOf(landscape).cancelMaintenanceEvent('o-1', signal),
      failsWith({
        temporary,
        reason: 'err_http_status_code',
        status,
        ...(status === 429 && { retryAfter: seconds(7) }),
      }),
    );
  });
}

test('messages hold what they need and nothing else, and each has its own connection', async () => {
  const seen: unknown[] = [];
  const listener: MakeSystem = () => ({
    name: 'spc',
    inventory: () => ({}),
    serve(app) {
      app.all('*', async ({ method, url, headers, body }, reply) => {
        seen.push([`${method} ${url}`, headers.connection, headers.authorization, body]);
        return reply.code(204).send();
      });
    },
  });
  await using landscape = await startLandscape({ systems: [listener] });
  const client = clientOf(landscape);
  await client.createMaintenanceEvent('o-1', 'kyma', [tenant], signal);
  await client.updateMaintenanceEvent(
    'o-1',
    [{ instanceId: 'instance-1', state: 'finished', end: at(21) }],
    signal,
  );
  await client.cancelMaintenanceEvent('o-1', signal);
  const announced = { instanceId: 'instance-1', startDateTime: '2023-09-01 20:00:00' };
  const finished = {
    instanceId: 'instance-1',
    endDateTime: '2023-09-01 21:00:00',
    eventState: '2',
  };
  assert.deepEqual(seen, [
    [
      'POST /spc/createMaintenanceEvent',
      'close',
      undefined,
      { orchestrationId: 'o-1', eventType: '1', tenants: [announced] },
    ],
    [
      'PATCH /spc/updateMaintenanceEvent',
      'close',
      undefined,
      { orchestrationId: 'o-1', tenants: [finished] },
    ],
    ['PATCH /spc/cancelMaintenanceEvent', 'close', undefined, { orchestrationId: 'o-1' }],
  ]);
});

test('a call ends at its timeout and at its signal', async () => {
  await using landscape = await start();
  landscape.faults.add({ system: 'spc', probability: 1, action: { kind: 'delay', for: 60_000 } });
  const client = clientOf(landscape, { timeout: 20 });
  await assert.rejects(
    client.cancelMaintenanceEvent('o-1', signal),
    failsWith({ temporary: true, reason: 'unreachable' }),
  );
  const reason = new Error('canceled');
  await assert.rejects(client.cancelMaintenanceEvent('o-1', AbortSignal.abort(reason)), reason);
});
