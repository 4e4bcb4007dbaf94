import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inspect } from 'node:util';
import { days, hours, seconds } from '#time';
import { cis as simulated } from '../../landscape/cis/testing.ts';
import { startLandscape, type Landscape } from '../../landscape/testing.ts';
import { cisClient, everyDeletedSubaccount, type CisSettings } from './cis-client.ts';
import { failuresOf } from '../testing.ts';

const { signal } = new AbortController();
const canary = 'canary-secret';
const start = () => startLandscape({ systems: [simulated] });
const versions = ['v1.0', 'v2.0', 'v2.0-cursor'] as const;

const clientOf = (landscape: Landscape, more: Partial<CisSettings> = {}) =>
  cisClient({
    version: 'v2.0',
    url: `${landscape.url}/cis`,
    authUrl: `${landscape.url}/cis/oauth/token`,
    clientId: 'kyma',
    clientSecret: canary,
    ...more,
  });

const happen = async (landscape: Landscape, subaccountIds: string[], eventType?: string) => {
  const response = await fetch(`${landscape.url}/cis/_landscape/events`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ subaccountIds, eventType }),
  });
  assert.equal(response.status, 204);
};

const pagesOf = async (landscape: Landscape, more: Partial<CisSettings> = {}) =>
  (await Array.fromAsync(everyDeletedSubaccount(clientOf(landscape, more), signal))).map(
    ({ subaccountIds }) => subaccountIds,
  );

const asked = (landscape: Landscape) =>
  landscape.requests.filter(({ method }) => method === 'GET').map(({ path }) => path);

const failsWith = failuresOf('cis', canary);

for (const version of versions) {
  test(`${version}: deletions are read page by page, the oldest first, and nothing else`, async () => {
    await using landscape = await start();
    await happen(landscape, ['sa-1', 'sa-2', 'sa-3']);
    await happen(landscape, ['sa-4'], 'Subaccount_Creation');
    await happen(landscape, ['sa-5', 'sa-6']);
    const pages = await pagesOf(landscape, { version, pageSize: 2 });
    assert.deepEqual(pages.slice(0, 3), [['sa-1', 'sa-2'], ['sa-3', 'sa-5'], ['sa-6']]);
    assert.deepEqual(pages.slice(3).flat(), []);
  });

  test(`${version}: where nothing was deleted, there is nothing`, async () => {
    await using landscape = await start();
    assert.deepEqual(await pagesOf(landscape, { version }), [[]]);
  });

  test(`${version}: reading goes on at the page that failed`, async () => {
    await using landscape = await start();
    await happen(landscape, ['sa-1', 'sa-2']);
    const client = clientOf(landscape, { version, pageSize: 1 });
    const { next } = await client.deletedSubaccounts(undefined, signal);
    landscape.faults.add({
      system: 'cis',
      path: '/events',
      count: 1,
      probability: 1,
      action: { kind: 'answer', status: 500, body: canary, headers: {} },
    });
    await assert.rejects(
      client.deletedSubaccounts(next, signal),
      failsWith({ temporary: true, status: 500 }),
    );
    assert.deepEqual((await client.deletedSubaccounts(next, signal)).subaccountIds, ['sa-2']);
  });
}

test('each version asks in its own way', async () => {
  await using landscape = await start();
  await happen(landscape, ['sa-1']);
  for (const version of versions) await pagesOf(landscape, { version });
  const central =
    '?eventType=Subaccount_Deletion&sortField=creationTime&sortOrder=ASC&pageSize=150';
  assert.deepEqual(asked(landscape), [
    '/public/rest/v2/events?type=MASTER_SUBACCOUNT_DELETION&ts=1&resultsPerPage=1000&page=1',
    `/events/v1/events/central${central}&pageNum=0`,
    `/events/v1/events/central${central}&pageNum=1`,
    '/events/v2/events/central?eventType=Subaccount_Deletion&entityType=Subaccount&since=30D&sortField=creationTime&sortOrder=ASC&pageSize=150',
  ]);
});

test('v2.0-cursor: later pages are named by their cursor alone, and old events are left out', async () => {
  await using landscape = await start();
  await happen(landscape, ['sa-1']);
  landscape.time.advance(days(31));
  await happen(landscape, ['sa-2', 'sa-3']);
  assert.deepEqual(await pagesOf(landscape, { version: 'v2.0-cursor', pageSize: 1 }), [
    ['sa-2'],
    ['sa-3'],
  ]);
  assert.match(asked(landscape)[1] ?? '', /central\?cursor=[\w-]+$/);
});

const answering = (landscape: Landscape, status: number, body: string) =>
  landscape.faults.add({
    system: 'cis',
    path: '/events',
    probability: 1,
    action: {
      kind: 'answer',
      status,
      body,
      headers: status === 429 ? { 'retry-after': '7' } : {},
    },
  });

test('events of another type are left out, whatever they look like, and reported', async () => {
  await using landscape = await start();
  const events = [
    { eventType: 'Subaccount_Move', somewhere: 'else' },
    { eventType: 'Subaccount_Deletion', entityId: 'sa-1' },
  ];
  answering(landscape, 200, JSON.stringify({ totalPages: 0, events }));
  assert.deepEqual(await clientOf(landscape).deletedSubaccounts(undefined, signal), {
    subaccountIds: ['sa-1'],
    foreignTypes: ['Subaccount_Move'],
    next: undefined,
  });
});

for (const [version, events, field] of [
  ['v1.0', [{ type: 'MASTER_SUBACCOUNT_DELETION', eventData: {} }], 'eventData.subaccountGuid'],
  ['v2.0', [{ eventType: 'Subaccount_Deletion', entityId: 1 }], 'entityId'],
  ['v2.0-cursor', [{}], 'eventType'],
] as const) {
  test(`${version}: an answer without ${field} says so`, async () => {
    await using landscape = await start();
    answering(landscape, 200, JSON.stringify({ totalPages: 1, events }));
    const reading = () => clientOf(landscape, { version }).deletedSubaccounts(undefined, signal);
    await assert.rejects(reading(), failsWith({ temporary: true, reason: 'wrong_answer' }));
    await assert.rejects(reading(), new RegExp(`events\\.0\\.${field}: `));
  });
}

test('a cursor that leads to its own page is a wrong answer, not an endless reading', async () => {
  await using landscape = await start();
  answering(landscape, 200, JSON.stringify({ nextCursor: 'again', events: [] }));
  await assert.rejects(
    pagesOf(landscape, { version: 'v2.0-cursor' }),
    failsWith({ reason: 'wrong_answer' }),
  );
});

for (const [status, temporary] of [
  [204, false],
  [400, false],
  [403, false],
  [404, false],
  [408, true],
  [429, true],
  [500, true],
] as const) {
  test(`status ${status} is ${temporary ? 'temporary' : 'permanent'}`, async () => {
    await using landscape = await start();
    answering(landscape, status, canary);
    await assert.rejects(
      clientOf(landscape).deletedSubaccounts(undefined, signal),
      failsWith({
        temporary,
        reason: 'err_http_status_code',
        status,
        ...(status === 429 && { retryAfter: seconds(7) }),
      }),
    );
  });
}

test('one token serves all pages, and is fetched anew when it has expired', async () => {
  await using landscape = await start();
  await happen(landscape, ['sa-1', 'sa-2', 'sa-3']);
  const client = clientOf(landscape, { pageSize: 1 });
  const issued = () => landscape.requests.filter(({ path }) => path === '/oauth/token').length;
  await Array.fromAsync(everyDeletedSubaccount(client, signal));
  assert.equal(issued(), 1);
  landscape.time.advance(hours(2));
  await client.deletedSubaccounts(undefined, signal);
  assert.equal(issued(), 2);
});

test('a client that is not known, and what it holds, stays unseen', async () => {
  await using landscape = await start();
  const client = clientOf(landscape, { clientId: '' });
  await assert.rejects(
    client.deletedSubaccounts(undefined, signal),
    failsWith({ temporary: false, status: 401 }),
  );
  assert.doesNotMatch(inspect([client, landscape.inventory()], { depth: 9 }), /canary/);
});

test('a call ends when the connection breaks, at its timeout and at its signal', async () => {
  await using landscape = await start();
  const reset = landscape.faults.add({
    system: 'cis',
    path: '/events',
    probability: 1,
    action: { kind: 'reset' },
  });
  const client = clientOf(landscape, { timeout: 200 });
  const unreachable = failsWith({ temporary: true, reason: 'unreachable' });
  await assert.rejects(client.deletedSubaccounts(undefined, signal), unreachable);
  landscape.faults.remove(reset);
  landscape.faults.add({
    system: 'cis',
    path: '/events',
    probability: 1,
    action: { kind: 'delay', for: 60_000 },
  });
  await assert.rejects(client.deletedSubaccounts(undefined, signal), unreachable);
  const reason = new Error('canceled');
  await assert.rejects(client.deletedSubaccounts(undefined, AbortSignal.abort(reason)), reason);
});
