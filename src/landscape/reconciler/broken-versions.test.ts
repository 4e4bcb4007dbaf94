import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { minutes } from '#time';
import { startLandscape } from '../testing.ts';
import { reconciler } from './testing.ts';

const landscape = await startLandscape({ systems: [reconciler] });
after(() => landscape[Symbol.asyncDispose]());

const call = async (method: string, path: string, body?: object) => {
  const response = await fetch(`${landscape.url}/reconciler${path}`, {
    method,
    headers: { 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  });
  return { status: response.status, text: await response.text() };
};
const stage = (version: string, body: object) => call('PUT', `/versions/${version}`, body);
const apply = (runtimeID: string, version: string) =>
  call('POST', '/v1/clusters', {
    runtimeID,
    runtimeInput: { name: 'demo' },
    kymaConfig: { version, profile: 'Production', components: [{ component: 'istio' }] },
    metadata: {},
    kubeconfig: 'kind: Config',
  });
const stateOf = async (runtimeID: string) => {
  const { text } = await call('GET', `/v1/clusters/${runtimeID}/status`);
  const { status, failures } = JSON.parse(text) as { status: string; failures: unknown };
  return { status, failures };
};
const failed = { status: 'error', failures: [{ component: 'istio', reason: 'timeout' }] };
const ready = { status: 'ready', failures: null };

test('clusters that are given a broken version end in an error, in the course of time; others do not', async () => {
  await apply('before', '2.19.1');
  assert.equal((await stage('2.19.1', { isBroken: true })).status, 204);
  await apply('broken', '2.19.1');
  await apply('other', '2.19.0');
  assert.equal((await stateOf('broken')).status, 'reconcile_pending');
  landscape.time.advance(minutes(1));
  assert.equal((await stateOf('broken')).status, 'reconciling');
  landscape.time.advance(minutes(5));
  assert.deepEqual(await stateOf('broken'), failed);
  assert.deepEqual(await stateOf('other'), ready);
  assert.deepEqual(await stateOf('before'), ready, 'it was installed in time');
});

test('what has failed stays so when its version is mended, until it is applied anew', async () => {
  await stage('2.19.2', { isBroken: true });
  await apply('mended', '2.19.2');
  await stage('2.19.2', { isBroken: false });
  landscape.time.advance(minutes(5));
  assert.deepEqual(await stateOf('mended'), failed);
  await apply('mended', '2.19.2');
  landscape.time.advance(minutes(5));
  assert.deepEqual(await stateOf('mended'), ready);
});

test('whoever stages something else is told what is allowed, and nothing changes', async () => {
  for (const body of [{}, { isBroken: 'yes' }, { isBroken: true, since: 'now' }]) {
    const { status, text } = await stage('2.19.3', body);
    assert.equal(status, 400);
    assert.match(text, /isBroken|since/);
  }
  await apply('unharmed', '2.19.3');
  landscape.time.advance(minutes(5));
  assert.deepEqual(await stateOf('unharmed'), ready);
});
