import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seconds } from '#time';
import { artifacts } from '../../landscape/artifacts/testing.ts';
import { startLandscape, type Landscape } from '../../landscape/testing.ts';
import { failuresOf } from '../testing.ts';
import { artifactsClient, publicArtifacts, type ArtifactsSettings } from './artifacts-client.ts';

const { signal } = new AbortController();
const canary = 'body-of-a-failed-answer';
const failsWith = failuresOf('artifacts', canary);

const start = () => startLandscape({ systems: [artifacts] });
const clientOf = ({ url }: Landscape, more: Partial<ArtifactsSettings> = {}) =>
  artifactsClient({
    releasesUrl: `${url}/artifacts/releases`,
    componentsUrl: `${url}/artifacts/components`,
    developmentUrl: `${url}/artifacts/development`,
    ...more,
  });
const pathsOf = ({ requests }: Landscape) => requests.map(({ path }) => path);

test('releases and versions in development have an installer, each in its own place', async () => {
  await using landscape = await start();
  const client = clientOf(landscape);
  const versions = ['1.24.10', 'PR-1234', 'main', 'main-0a1b2c3d', 'master-4e5f6a7b'];
  for (const version of versions) {
    const yaml = await client.installerYaml(version, signal);
    assert.match(yaml, new RegExp(`version: "${version}"`));
  }
  const file = 'kyma-installer-cluster.yaml';
  assert.deepEqual(pathsOf(landscape), [
    `/releases/1.24.10/${file}`,
    ...versions.slice(1).map((version) => `/development/${version}/${file}`),
  ]);
});

test('an installer of old builds on tiller, the others on nothing', async () => {
  await using landscape = await start();
  const client = clientOf(landscape);
  assert.match((await client.tillerYaml('1.11.0', signal)) ?? '', /tiller-deploy/);
  assert.equal(await client.tillerYaml('1.24.10', signal), undefined);
  assert.equal(await client.tillerYaml('PR-1234', signal), undefined);
});

test('the components of a version come in order, each with its namespace, from wherever the file lies', async () => {
  await using landscape = await start();
  const client = clientOf(landscape);
  const list = await client.components('2.4.3', signal);
  assert.deepEqual(list.prerequisites, [
    { name: 'cluster-essentials', namespace: 'kyma-system' },
    { name: 'istio', namespace: 'istio-system' },
  ]);
  assert.partialDeepStrictEqual(list.components, [
    { name: 'service-catalog', namespace: 'kyma-system' },
  ]);
  assert.deepEqual(list.components.at(-1), { name: 'serverless', namespace: 'kyma-system' });
  assert.deepEqual(await client.components('main-0a1b2c3d', signal), list);
  assert.deepEqual(pathsOf(landscape), [
    '/components/2.4.3/kyma-components.yaml',
    '/releases/2.4.3/kyma-components.yaml',
    '/development/main-0a1b2c3d/kyma-components.yaml',
  ]);
});

test('a version that does not exist has no installer, no components, and no tiller', async () => {
  await using landscape = await start();
  const client = clientOf(landscape);
  const unknown = failsWith({ temporary: false, reason: 'err_http_status_code', status: 404 });
  for (const version of ['1.99.0', 'PR-999']) {
    await assert.rejects(client.installerYaml(version, signal), unknown);
    await assert.rejects(client.components(version, signal), unknown);
    assert.equal(await client.tillerYaml(version, signal), undefined);
  }
});

for (const version of ['', '..', '.', '../1.24.10', '1.24.10/../2.0.4', '1.24 ', '1.24?', '-1']) {
  test(`the version ${JSON.stringify(version)} is refused before anybody is asked`, async () => {
    await using landscape = await start();
    await assert.rejects(
      clientOf(landscape).components(version, signal),
      failsWith({ temporary: false, reason: 'invalid_version' }),
    );
    assert.deepEqual(landscape.requests, []);
  });
}

for (const [status, temporary] of [
  [204, false],
  [400, false],
  [403, false],
  [408, true],
  [410, false],
  [429, true],
  [500, true],
  [503, true],
] as const) {
  test(`status ${status} is ${temporary ? 'temporary' : 'permanent'}, for every file`, async () => {
    await using landscape = await start();
    const client = clientOf(landscape);
    const headers = status === 429 ? { 'retry-after': '7' } : {};
    const body = status === 204 ? '' : canary;
    const action = { kind: 'answer', status, body, headers } as const;
    landscape.faults.add({ system: 'artifacts', action });
    const failure = failsWith({
      temporary,
      reason: 'err_http_status_code',
      status,
      ...(status === 429 && { retryAfter: seconds(7) }),
    });
    await assert.rejects(client.installerYaml('1.24.10', signal), failure);
    await assert.rejects(client.tillerYaml('1.24.10', signal), failure);
    await assert.rejects(client.components('1.24.10', signal), failure);
  });
}

test('a malformed file says where, and is waited out', async () => {
  await using landscape = await start();
  const client = clientOf(landscape);
  const malformed = (isMalformed: boolean) =>
    fetch(`${landscape.url}/artifacts/versions/1.24.10`, {
      method: 'PUT',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ isMalformed }),
    });
  assert.equal((await malformed(true)).status, 204);
  const wrong = failsWith({ temporary: true, reason: 'wrong_answer' });
  const calls = [client.installerYaml, client.tillerYaml, client.components];
  for (const call of calls) {
    await assert.rejects(call('1.24.10', signal), (error: Error) => {
      assert.match(error.message, /line \d/);
      return wrong(error);
    });
  }
  await malformed(false);
  for (const call of calls) await call('1.24.10', signal);
});

for (const [body, field] of [
  [`<html>${canary}</html>`, /the whole/],
  ['', /the whole|no object/],
  ['defaultNamespace: 7', /defaultNamespace/],
  ['{ defaultNamespace: a, components: [] }', /components/],
  ['{ defaultNamespace: a, components: [{ namespace: b }] }', /components\.0\.name/],
  ['{ defaultNamespace: a, components: *nobody }', /line 1|the whole/],
] as const) {
  test(`a component list that reads ${JSON.stringify(body)} is no answer`, async () => {
    await using landscape = await start();
    landscape.faults.add({ system: 'artifacts', action: { kind: 'answer', status: 200, body } });
    const client = clientOf(landscape);
    await assert.rejects(client.components('2.4.3', signal), (error: Error) => {
      assert.match(error.message, field);
      return failsWith({ temporary: true, reason: 'wrong_answer' })(error);
    });
    const wrong = failsWith({ temporary: true, reason: 'wrong_answer' });
    await assert.rejects(client.installerYaml('2.4.3', signal), wrong);
  });
}

test('a connection that breaks is temporary, and the next try gets the file', async () => {
  await using landscape = await start();
  const client = clientOf(landscape);
  for (const kind of ['reset', 'lost answer'] as const) {
    landscape.faults.add({ system: 'artifacts', count: 1, action: { kind } });
    await assert.rejects(
      client.components('PR-1234', signal),
      failsWith({ temporary: true, reason: 'unreachable' }),
    );
    await client.components('PR-1234', signal);
  }
});

test('a download ends at its timeout and at its signal', async () => {
  await using landscape = await start();
  landscape.faults.add({ system: 'artifacts', action: { kind: 'delay', for: 60_000 } });
  const client = clientOf(landscape, { timeout: 20 });
  await assert.rejects(
    client.installerYaml('1.24.10', signal),
    failsWith({ temporary: true, reason: 'unreachable' }),
  );
  const reason = new Error('canceled');
  await assert.rejects(client.installerYaml('1.24.10', AbortSignal.abort(reason)), reason);
});

test('a place that keeps failing is left alone for a while', async () => {
  await using landscape = await start();
  landscape.faults.add({ system: 'artifacts', action: { kind: 'answer', status: 503 } });
  const client = clientOf(landscape, { breakAfter: 3 });
  for (let n = 0; n < 3; n += 1)
    await assert.rejects(client.components('2.4.3', signal), failsWith({ status: 503 }));
  const asked = landscape.requests.length;
  await assert.rejects(
    client.components('2.4.3', signal),
    failsWith({ temporary: true, reason: 'left_alone' }),
  );
  assert.equal(landscape.requests.length, asked);
});

test('the public places are those of the Kyma project', () => {
  assert.deepEqual(publicArtifacts, {
    releasesUrl: 'https://storage.googleapis.com/kyma-prow-artifacts',
    componentsUrl: 'https://github.com/kyma-project/kyma/releases/download',
    developmentUrl: 'https://storage.googleapis.com/kyma-development-artifacts',
  });
});
