import assert from 'node:assert/strict';
import { test } from 'node:test';
import { z } from 'zod';
import { noAccountLeft } from './account-pool.ts';
import { failsWith, labelsOf, shootOf, signal, startGardener } from './testing.ts';

const owner = { tenantName: 'ga-1', hyperscalerType: 'azure', euAccess: false };
const other = { ...owner, tenantName: 'ga-2' };
const label = (binding: string, labels: Record<string, string>) =>
  ({
    method: 'PATCH',
    contentType: 'application/merge-patch+json',
    body: { metadata: { labels } },
    what: `label ${binding}`,
    signal,
  }) as const;

test('a tenant gets a free account, keeps it, and is found by it', async () => {
  await using gardener = await startGardener();
  const { accounts } = gardener.client;
  assert.equal(await accounts.findOwn(owner, signal), undefined);
  assert.equal(await accounts.claim(owner, signal), 'azure-pool-001');
  assert.equal(await accounts.findOwn(owner, signal), 'azure-pool-001');
  assert.equal(await accounts.claim(owner, signal), 'azure-pool-001');
  assert.equal(await accounts.claim(other, signal), 'azure-pool-002');
  assert.equal(labelsOf(gardener.landscape, 'azure-pool-001')?.['tenantName'], 'ga-1');
});

test('EU access has accounts of its own', async () => {
  await using gardener = await startGardener();
  const { accounts } = gardener.client;
  const inEu = { ...owner, euAccess: true };
  assert.equal(await accounts.claim(inEu, signal), 'azure-eu-1');
  assert.equal(await accounts.findOwn(owner, signal), undefined);
  assert.equal(await accounts.findOwn(inEu, signal), 'azure-eu-1');
});

test('claims of one process take turns, and each tenant gets one account', async () => {
  await using gardener = await startGardener();
  const { accounts } = gardener.client;
  const claimed = await Promise.all(
    [owner, other, owner, other].map((each) => accounts.claim(each, signal)),
  );
  assert.deepEqual(claimed, [
    'azure-pool-001',
    'azure-pool-002',
    'azure-pool-001',
    'azure-pool-002',
  ]);
});

test('a claim that is canceled before its turn comes fails for the reason of its signal', async () => {
  await using gardener = await startGardener();
  const { accounts } = gardener.client;
  const abort = new AbortController();
  const reason = new Error('canceled');
  const first = accounts.claim(owner, signal);
  const second = accounts.claim(other, abort.signal);
  abort.abort(reason);
  await assert.rejects(second, (error) => error === reason);
  assert.equal(await first, 'azure-pool-001');
  await assert.rejects(accounts.claim(other, AbortSignal.abort(reason)), (e) => e === reason);
});

test('of two processes that want the same free account, one meets a conflict and gets another', async () => {
  await using gardener = await startGardener();
  const { client, project, landscape } = gardener;
  const path = project.pathOf('secretbindings');
  const answer = z.unknown();
  const query = { labelSelector: '!dirty, hyperscalerType=azure, !euAccess' };
  const before = await project.request({
    method: 'GET',
    path,
    query,
    answer,
    what: 'list',
    signal,
  });
  assert.equal(await client.accounts.claim(owner, signal), 'azure-pool-001');
  // As if the other had read the list before that claim.
  landscape.faults.add({
    system: 'gardener',
    method: 'GET',
    count: 1,
    action: { kind: 'answer', status: 200, body: JSON.stringify(before), headers: {} },
  });
  const { accounts } = gardener.anotherClient();
  await assert.rejects(
    accounts.claim(other, signal),
    failsWith({ temporary: true, reason: 'Conflict', status: 409 }),
  );
  assert.equal(labelsOf(landscape, 'azure-pool-001')?.['tenantName'], 'ga-1');
  assert.equal(await accounts.claim(other, signal), 'azure-pool-002');
});

test('an empty pool is temporary: somebody will fill it', async () => {
  await using gardener = await startGardener({ freeAccounts: 0 });
  const empty = failsWith({ temporary: true, reason: noAccountLeft });
  await assert.rejects(gardener.client.accounts.claim(owner, signal), empty);
  await assert.rejects(gardener.client.accounts.leastUsedShared('other', signal), empty);
});

test('a claim whose answer is lost finds its account when it is repeated', async () => {
  await using gardener = await startGardener();
  const { accounts } = gardener.client;
  gardener.landscape.faults.add({
    system: 'gardener',
    method: 'PUT',
    count: 1,
    action: { kind: 'lost answer' },
  });
  const unreachable = failsWith({ temporary: true, reason: 'unreachable' });
  await assert.rejects(accounts.claim(owner, signal), unreachable);
  assert.equal(await accounts.claim(owner, signal), 'azure-pool-001');
  assert.equal(labelsOf(gardener.landscape, 'azure-pool-002')?.['tenantName'], undefined);
});

test('of the shared accounts, the one with the fewest shoots is taken', async () => {
  await using gardener = await startGardener();
  const { accounts, shoots } = gardener.client;
  assert.equal(await accounts.leastUsedShared('azure', signal), 'azure-shared-1');
  await shoots.apply(shootOf('a', 'azure-shared-1'), signal);
  assert.equal(await accounts.leastUsedShared('azure', signal), 'azure-shared-2');
  await shoots.apply(shootOf('b', 'azure-shared-2'), signal);
  assert.equal(await accounts.leastUsedShared('azure', signal), 'azure-shared-1');
});

test('a released account is dirty, and is neither found nor claimed again', async () => {
  await using gardener = await startGardener({ freeAccounts: 1 });
  const { accounts } = gardener.client;
  await accounts.claim(owner, signal);
  assert.equal(await accounts.release(owner, signal), 'released');
  assert.deepEqual(labelsOf(gardener.landscape, 'azure-pool-001'), {
    hyperscalerType: 'azure',
    tenantName: 'ga-1',
    dirty: 'true',
  });
  assert.equal(await accounts.release(owner, signal), 'released before');
  assert.equal(await accounts.findOwn(owner, signal), undefined);
  await assert.rejects(accounts.claim(owner, signal), failsWith({ reason: noAccountLeft }));
});

test('an account is not released while a shoot uses it, nor if it is internal, nor if there is none', async () => {
  await using gardener = await startGardener();
  const { accounts, shoots } = gardener.client;
  assert.equal(await accounts.release(owner, signal), 'no account');
  await accounts.claim(owner, signal);
  await shoots.apply(shootOf('a', 'azure-pool-001'), signal);
  assert.equal(await accounts.release(owner, signal), 'in use');
  await accounts.claim(other, signal);
  const path = gardener.project.pathOf('secretbindings', 'azure-pool-002');
  await gardener.project.request({ ...label('azure-pool-002', { internal: 'true' }), path });
  assert.equal(await accounts.release(other, signal), 'internal');
  for (const name of ['azure-pool-001', 'azure-pool-002'])
    assert.equal(labelsOf(gardener.landscape, name)?.['dirty'], undefined);
});

test('a shared account is never released', async () => {
  await using gardener = await startGardener();
  const path = gardener.project.pathOf('secretbindings', 'azure-shared-1');
  await gardener.project.request({ ...label('azure-shared-1', { tenantName: 'ga-1' }), path });
  assert.equal(await gardener.client.accounts.release(owner, signal), 'no account');
});

test('what was released is told unless a shoot uses it, and is free again once it is given back', async () => {
  await using gardener = await startGardener();
  const { accounts, shoots } = gardener.client;
  const secret = await accounts.claim(owner, signal);
  assert.deepEqual(await accounts.released(signal), []);
  await accounts.release(owner, signal);
  const account = { name: secret, secretName: secret, hyperscalerType: 'azure' };
  assert.deepEqual(await accounts.released(signal), [account]);
  await shoots.apply(shootOf('late', secret), signal);
  assert.deepEqual(await accounts.released(signal), []);

  await accounts.giveBack(secret, signal);
  assert.deepEqual(labelsOf(gardener.landscape, secret), { hyperscalerType: 'azure' });
  assert.equal(await accounts.claim(other, signal), secret);
  await accounts.giveBack(secret, signal); // somebody has it by now, and keeps it
  assert.equal(await accounts.findOwn(other, signal), secret);
});

test('all accounts are listed with what is done with them', async () => {
  await using gardener = await startGardener({ freeAccounts: 2 });
  const { accounts } = gardener.client;
  await accounts.claim(owner, signal);
  await accounts.release(owner, signal);
  const all = await accounts.list(signal);
  const account = {
    hyperscalerType: 'azure',
    tenantName: undefined,
    isShared: false,
    isDirty: false,
  };
  const shared = { ...account, isShared: true };
  const azure = all.filter(({ hyperscalerType }) => hyperscalerType === 'azure');
  const first = { ...account, tenantName: 'ga-1', isDirty: true };
  assert.deepEqual(azure, [account, first, account, shared, shared]); // by name: EU access, the pool, the shared ones
  assert.deepEqual(new Set(all.map(({ hyperscalerType }) => hyperscalerType)).size, 4);
});
