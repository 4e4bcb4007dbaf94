import assert from 'node:assert/strict';
import { test } from 'node:test';
import { minutes } from '#time';
import { SystemError } from '#clients';
import { shootOf, signal, startGardener } from '../../clients/gardener/testing.ts';

type Garden = Awaited<ReturnType<typeof startGardener>>;
const wanted = shootOf('a');

/** What Gardener says to a change of the spec; undefined if it takes it. */
async function answerTo({ client }: Garden, changes: object, name = 'a') {
  const { metadata, spec } = shootOf(name);
  try {
    await client.shoots.apply({ metadata, spec: { ...spec, ...changes } }, signal);
    return undefined;
  } catch (error) {
    assert.ok(error instanceof SystemError);
    return [error.status, error.reason];
  }
}

test('names that are too long with the project, and seeds that are not there, are invalid', async () => {
  await using garden = await startGardener();
  assert.equal(await answerTo(garden, {}, 'a'.repeat(17)), undefined);
  assert.deepEqual(await answerTo(garden, {}, 'a'.repeat(18)), [422, 'Invalid']);
  assert.deepEqual(await answerTo(garden, { seedName: 'nowhere' }), [422, 'Invalid']);
  assert.equal(await answerTo(garden, { seedName: 'azure-eu1' }), undefined);
});

for (const [what, changes] of [
  ['another region', { region: 'eastus' }],
  ['another provider', { provider: { type: 'aws' } }],
  ['a lower version', { kubernetes: { version: '1.25.9' } }],
  ['a lower patch', { kubernetes: { version: '1.26.4' } }],
  ['a version that skips one', { kubernetes: { version: '1.28.0' } }],
] as const) {
  test(`${what} is refused for a shoot that is there`, async () => {
    await using garden = await startGardener();
    await garden.client.shoots.apply(wanted, signal);
    assert.deepEqual(await answerTo(garden, changes), [422, 'Invalid']);
    assert.equal(await answerTo(garden, { kubernetes: { version: '1.27.0' } }), undefined);
  });
}

test('a shoot that is to sleep is asleep after its reconciliation, and then gives no kubeconfig', async () => {
  await using garden = await startGardener();
  const { landscape, client } = garden;
  await client.shoots.apply(wanted, signal);
  landscape.time.advance(minutes(6));
  assert.equal((await client.shoots.get('a', signal))?.status?.hibernated, false);
  assert.equal(await answerTo(garden, { hibernation: { enabled: true } }), undefined);
  assert.equal((await client.shoots.get('a', signal))?.status?.hibernated, false);
  landscape.time.advance(minutes(3));
  assert.equal((await client.shoots.get('a', signal))?.status?.hibernated, true);
  await assert.rejects(client.shoots.adminKubeconfig('a', signal), { reason: 'Invalid' });
  assert.equal(await answerTo(garden, { hibernation: { enabled: false } }), undefined);
  landscape.time.advance(minutes(3));
  assert.ok(await client.shoots.adminKubeconfig('a', signal));
});

test('a test decides whether hibernation is possible', async () => {
  await using garden = await startGardener();
  const { landscape, client, url } = garden;
  await client.shoots.apply(wanted, signal);
  landscape.time.advance(minutes(6));
  const constraint = async () => (await client.shoots.get('a', signal))?.status?.['constraints'];
  assert.partialDeepStrictEqual(await constraint(), [
    { type: 'HibernationPossible', status: 'True' },
  ]);
  const turn = async (shoot: string, body: object) => {
    const { status } = await fetch(`${url}/shoots/${shoot}/hibernation`, {
      method: 'PUT',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    return status;
  };
  assert.equal(await turn('a', { isPossible: false }), 204);
  assert.partialDeepStrictEqual(await constraint(), [
    { type: 'HibernationPossible', status: 'False' },
  ]);
  assert.equal(await turn('a', { isPossible: 'no' }), 400);
  assert.equal(await turn('b', { isPossible: true }), 404);
});
