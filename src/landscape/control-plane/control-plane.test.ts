import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inspect } from 'node:util';
import { minutes, seconds } from '#time';
import { caller } from '../kubernetes/testing.ts';
import { startLandscape } from '../testing.ts';
import { controlPlane, token } from './testing.ts';

const kymas = '/apis/operator.kyma-project.io/v1beta2/namespaces/kyma-system/kymas';
const secrets = '/api/v1/namespaces/kyma-system/secrets';
const kyma = (name: string) => ({
  apiVersion: 'operator.kyma-project.io/v1beta2',
  kind: 'Kyma',
  metadata: { name },
  spec: { channel: 'fast' },
});
const headers = { authorization: `Bearer ${token}` };

async function start() {
  const landscape = await startLandscape({ systems: [controlPlane] });
  const call = caller(`${landscape.url}/control-plane`);
  const post = async (path: string, body: object) => {
    assert.equal((await call('POST', path, body, headers)).status, 201);
  };
  return {
    landscape,
    call,
    post,
    state: async (name: string) =>
      (await call<{ status: { state: string } }>('GET', `${kymas}/${name}`, undefined, headers))
        .body.status.state,
    [Symbol.asyncDispose]: () => landscape[Symbol.asyncDispose](),
  };
}

test('whoever has no token is refused', async () => {
  await using world = await start();
  assert.equal((await world.call('GET', kymas)).status, 401);
  assert.equal((await world.call('GET', kymas, undefined, headers)).status, 200);
});

test('a Kyma gets its finalizer a moment after it was created; before that a deletion is at once', async () => {
  await using world = await start();
  await world.post(kymas, kyma('a'));
  await world.call('DELETE', `${kymas}/a`, undefined, headers);
  assert.equal((await world.call('GET', `${kymas}/a`, undefined, headers)).status, 404);
  await world.post(kymas, kyma('a'));
  world.landscape.time.advance(seconds(2));
  assert.partialDeepStrictEqual(await world.call('GET', `${kymas}/a`, undefined, headers), {
    body: { metadata: { finalizers: ['operator.kyma-project.io/Kyma'] } },
  });
});

test('the kubeconfig is found by its label, whatever it is called, and only with content', async () => {
  await using world = await start();
  const labelsFor = (name: string) => ({ 'operator.kyma-project.io/kyma-name': name });
  for (const name of ['a', 'b', 'c']) await world.post(kymas, kyma(name));
  const stringData = { config: 'kind: Config' };
  await world.post(secrets, { metadata: { name: 'x', labels: labelsFor('a') }, stringData });
  await world.post(secrets, { metadata: { name: 'kubeconfig-b' }, stringData });
  await world.post(secrets, { metadata: { name: 'y', labels: labelsFor('c') } });
  world.landscape.time.advance(minutes(2));
  assert.equal(await world.state('a'), 'Ready');
  assert.equal(await world.state('b'), 'Warning');
  assert.equal(await world.state('c'), 'Warning');
});

test('the switch for a Kyma says what it does not take', async () => {
  await using world = await start();
  const { status, body } = await world.call('PUT', '/kymas/a', { state: 'Fine' });
  assert.equal(status, 400);
  assert.match(String(body['message']), /Ready.*at state/s);
  assert.equal((await world.call('PUT', '/kymas/a', { state: 'Ready' })).status, 404);
});

test('the inventory names what is there, without credentials', async () => {
  await using world = await start();
  await world.post(secrets, { metadata: { name: 'x' }, stringData: { config: 'canary' } });
  const shown = inspect(world.landscape.inventory(), { depth: 9 });
  assert.ok(shown.includes('orchestration-config'));
  for (const secret of ['canary', btoa('canary'), token]) assert.ok(!shown.includes(secret));
});
