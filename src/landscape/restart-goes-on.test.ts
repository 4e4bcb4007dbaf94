import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { minutes, seconds } from '#time';
import { controlPlane, token as controlPlaneToken } from './control-plane/testing.ts';
import {
  bearer,
  gardenToken,
  login,
  provisionRuntime,
  shoot,
  shoots,
  startKept,
  tokenOf,
  type Json,
} from './kept-landscape.ts';

test('the operation of a shoot goes on where it was', async () => {
  await using kept = await startKept();
  await kept.call('gardener', 'POST', shoots, shoot('cluster'), gardenToken);
  const operation = async () => {
    const found = await kept.call('gardener', 'GET', `${shoots}/cluster`, undefined, gardenToken);
    const { lastOperation } = found['status'] as { lastOperation: { state: string } };
    return lastOperation.state;
  };
  kept.landscape.time.advance(minutes(3));
  assert.equal(await operation(), 'Processing');
  await kept.restart();
  assert.equal(await operation(), 'Processing');
  kept.landscape.time.advance(minutes(2) + seconds(6));
  assert.equal(await operation(), 'Succeeded');
});

test('what follows from the time goes on where it was', async () => {
  await using kept = await startKept();
  await kept.call('reconciler', 'PUT', '/v1/clusters', {
    runtimeID: 'runtime',
    runtimeInput: { name: 'runtime' },
    kymaConfig: { version: '2.0.0', profile: '', components: [] },
    metadata: {},
    kubeconfig: 'kind: Config',
  });
  const status = async () =>
    (await kept.call('reconciler', 'GET', '/v1/clusters/runtime/status'))['status'];
  kept.landscape.time.advance(minutes(2));
  await kept.restart();
  assert.equal(await status(), 'reconciling');
  kept.landscape.time.advance(minutes(1));
  assert.equal(await status(), 'ready');
});

test('a key of idempotency is remembered', async () => {
  await using kept = await startKept();
  const provision = async () => {
    const headers = { tenant: 't', 'idempotency-key': 'k' };
    const { data } = await kept.call(
      'provisioner',
      'POST',
      '/graphql',
      { query: provisionRuntime },
      headers,
    );
    return data;
  };
  const first = await provision();
  await kept.restart();
  assert.deepEqual(await provision(), first);
});

test('a token of a system stays good', async () => {
  await using kept = await startKept();
  const token = await tokenOf(kept, 'cis', '/oauth/token');
  await kept.restart();
  const events = '/events/v1/events/central?eventType=Subaccount_Deletion';
  assert.equal((await kept.call('cis', 'GET', events, undefined, token))['total'], 0);
});

test('who is logged in stays so, and the keys are the same', async () => {
  await using kept = await startKept();
  const keys = await kept.call('issuer', 'GET', '/jwks');
  const { access_token: token, refresh_token: refreshToken = '' } = await login(kept);
  await kept.restart();
  assert.deepEqual(await kept.call('issuer', 'GET', '/jwks'), keys);
  const user = await kept.call('issuer', 'GET', '/userinfo', undefined, bearer(token));
  assert.equal(user['sub'], 'admin');
  const form = {
    grant_type: 'refresh_token',
    client_id: 'kcp',
    refresh_token: String(refreshToken),
  };
  const refreshed = await kept.call('issuer', 'POST', '/token', new URLSearchParams(form));
  assert.ok(refreshed['access_token']);
});

test('versions of objects go on, and whoever watched has to list anew', async () => {
  await using kept = await startKept();
  const list = async () => {
    const { metadata } = await kept.call('gardener', 'GET', shoots, undefined, gardenToken);
    return Number((metadata as { resourceVersion: string }).resourceVersion);
  };
  const old = await list();
  await kept.call('gardener', 'POST', shoots, shoot('cluster'), gardenToken);
  const before = await list();
  await kept.restart();
  assert.equal(await list(), before);
  const watch = `${shoots}?watch=true&timeoutSeconds=1&resourceVersion=${old}`;
  const event = await kept.call('gardener', 'GET', watch, undefined, gardenToken);
  assert.equal(event['type'], 'ERROR');
  assert.equal((event['object'] as Json)['code'], 410);
});

test('faults and requests are remembered', async () => {
  await using kept = await startKept();
  const { faults } = kept.landscape;
  faults.add({ system: 'spc', path: 'x', count: 2, action: { kind: 'answer', status: 200 } });
  await kept.call('spc', 'GET', '/x');
  const requests = [...kept.landscape.requests];
  await kept.restart();
  assert.deepEqual(kept.landscape.requests, requests);
  await kept.call('spc', 'GET', '/x');
  await assert.rejects(kept.call('spc', 'GET', '/x'), /404/);
  assert.equal(kept.landscape.faults.add({ system: 'spc', action: { kind: 'reset' } }), 2);
});

test('after a reset nothing comes back', async () => {
  await using kept = await startKept();
  await kept.call('cis', 'POST', '/_landscape/events', { subaccountIds: ['s'] });
  await kept.landscape.reset();
  await kept.restart();
  assert.deepEqual(kept.landscape.inventory()['cis'], { events: [] });
});

/** A shoot's cluster, for its administrator. */
async function startCluster() {
  const kept = await startKept();
  await kept.call('gardener', 'POST', shoots, shoot('cluster'), gardenToken);
  kept.landscape.time.advance(minutes(6));
  const place = '/api/v1/namespaces/garden-kyma/secrets/cluster.kubeconfig';
  const { data } = await kept.call('gardener', 'GET', place, undefined, gardenToken);
  const { kubeconfig } = data as { kubeconfig: string };
  const [, token] = /token: (.+) /.exec(Buffer.from(kubeconfig, 'base64').toString()) ?? [];
  return {
    kept,
    inCluster: (method: string, path: string, body?: unknown) =>
      kept.call('gardener', method, `/runtimes/cluster${path}`, body, bearer(token)),
    [Symbol.asyncDispose]: () => kept[Symbol.asyncDispose](),
  };
}

test('a runtime cluster is there with its objects and all kinds that were defined, and its kubeconfig is good', async () => {
  await using cluster = await startCluster();
  const { kept, inCluster } = cluster;
  await inCluster('POST', '/api/v1/namespaces', { metadata: { name: 'mine' } });
  await inCluster('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', {
    metadata: { name: 'lamps.example.com' },
    spec: {
      group: 'example.com',
      scope: 'Namespaced',
      names: { kind: 'Lamp', plural: 'lamps' },
      versions: [{ name: 'v1' }],
    },
  });
  const lamps = '/apis/example.com/v1/namespaces/mine/lamps';
  const lamp = { apiVersion: 'example.com/v1', kind: 'Lamp', metadata: { name: 'a' } };
  const { metadata } = await inCluster('POST', lamps, lamp);
  await kept.restart();
  assert.deepEqual((await inCluster('GET', `${lamps}/a`))['metadata'], metadata);
  const [runtime] = kept.landscape.inventory()['gardener']?.['runtimes'] ?? [];
  assert.partialDeepStrictEqual(runtime, {
    shoot: 'cluster',
    askedBy: 'orders/1.0',
    objects: { 'lamps.example.com': [{ namespace: 'mine', name: 'a', askedBy: 'orders/1.0' }] },
  });
});

test('tokens of service accounts are good until their time is over', async () => {
  await using cluster = await startCluster();
  const { kept, inCluster } = cluster;
  const accounts = '/api/v1/namespaces/default/serviceaccounts';
  await inCluster('POST', accounts, { metadata: { name: 'guest' } });
  await inCluster('POST', '/apis/rbac.authorization.k8s.io/v1/clusterrolebindings', {
    metadata: { name: 'guest' },
    subjects: [{ kind: 'ServiceAccount', namespace: 'default', name: 'guest' }],
    roleRef: { kind: 'ClusterRole', name: 'cluster-admin' },
  });
  const { status } = await inCluster('POST', `${accounts}/guest/token`, {
    spec: { expirationSeconds: 600 },
  });
  const look = () => {
    const path = '/runtimes/cluster/api/v1/namespaces';
    return kept.call('gardener', 'GET', path, undefined, bearer((status as Json)['token']));
  };
  await kept.restart();
  await look();
  kept.landscape.time.advance(minutes(10));
  await assert.rejects(look(), /401/);
});

test('what the BTP operator was giving back is given back', async () => {
  await using cluster = await startCluster();
  const { kept, inCluster } = cluster;
  const instances = '/apis/services.cloud.sap.com/v1/namespaces/default/serviceinstances';
  await inCluster('POST', instances, {
    apiVersion: 'services.cloud.sap.com/v1',
    kind: 'ServiceInstance',
    metadata: { name: 'a' },
  });
  await inCluster('DELETE', `${instances}/a`);
  await kept.restart();
  await inCluster('GET', `${instances}/a`);
  kept.landscape.time.advance(minutes(1));
  await assert.rejects(inCluster('GET', `${instances}/a`), /404/);
});

test('an agent that has connected does not try its token again', async () => {
  await using cluster = await startCluster();
  const { kept, inCluster } = cluster;
  const token = await tokenOf(kept, 'director', '/oauth2/token');
  const director = async (query: string) => {
    const headers = { ...token, tenant: 't' };
    const { data } = await kept.call('director', 'POST', '/graphql', { query }, headers);
    return (data as { result: { id: string; token: string } }).result;
  };
  const { id } = await director('mutation { result: registerRuntime(in: { name: "r" }) { id } }');
  const asked = `mutation { result: requestOneTimeTokenForRuntime(id: "${id}") { token } }`;
  const stringData = {
    CONNECTOR_URL: `${kept.landscape.url}/director/connector/graphql`,
    TOKEN: (await director(asked)).token,
  };
  const tries = () =>
    kept.landscape.requests.filter(({ path }) => path === '/connector/graphql').length;
  await inCluster('POST', '/api/v1/namespaces/default/secrets', {
    metadata: { name: 'compass-agent-configuration' },
    stringData,
  });
  const connection = async () => {
    const path = '/apis/compass.kyma-project.io/v1alpha1/compassconnections/compass-connection';
    return ((await inCluster('GET', path))['status'] as Json)['connectionState'];
  };
  kept.landscape.time.advance(seconds(10));
  const isTold = () =>
    JSON.stringify(kept.landscape.inventory()['gardener']).includes('"compass-connection"');
  while (!isTold()) await sleep(1);
  await kept.restart();
  kept.landscape.time.advance(minutes(2));
  assert.equal(await connection(), 'Synchronized');
  assert.equal(tries(), 1);
});

const kymas = '/apis/operator.kyma-project.io/v1beta2/namespaces/kyma-system/kymas';

/** A Kyma that is being deleted. */
async function startDeletion() {
  const kept = await startKept({ systems: [controlPlane] });
  const call = (method: string, path: string, body?: unknown) =>
    kept.call('control-plane', method, path, body, bearer(controlPlaneToken));
  await call('POST', kymas, {
    apiVersion: 'operator.kyma-project.io/v1beta2',
    kind: 'Kyma',
    metadata: { name: 'kyma' },
    spec: { channel: 'fast' },
  });
  kept.landscape.time.advance(seconds(2));
  await call('DELETE', `${kymas}/kyma`);
  return {
    kept,
    call,
    state: async () => ((await call('GET', `${kymas}/kyma`))['status'] as Json)['state'],
    [Symbol.asyncDispose]: () => kept[Symbol.asyncDispose](),
  };
}

test('a Kyma that is being deleted goes in the end', async () => {
  await using deletion = await startDeletion();
  const { kept, call, state } = deletion;
  kept.landscape.time.advance(seconds(40));
  await kept.restart();
  assert.equal(await state(), 'Deleting');
  kept.landscape.time.advance(seconds(20));
  await assert.rejects(call('GET', `${kymas}/kyma`), /404/);
});

test('a Kyma that is stuck stays stuck', async () => {
  await using deletion = await startDeletion();
  const { kept, call, state } = deletion;
  await call('PUT', '/kymas/kyma', { isStuck: true });
  await kept.restart();
  kept.landscape.time.advance(minutes(5));
  assert.equal(await state(), 'Deleting');
});
