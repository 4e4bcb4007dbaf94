import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parse } from 'yaml';
import { minutes, seconds } from '#time';
import type { Kubeconfig } from '../provisioner/kubeconfig.ts';
import { kubernetesConnection } from '../kubernetes/kubernetes-connection.ts';
import { roleBindings, signal, startRuntimes } from './testing.ts';
import { tokenKubeconfig } from './token-kubeconfig.ts';

const accounts = '/api/v1/namespaces/kyma-system/serviceaccounts';
const guest = { name: 'guest', lifetime: minutes(10) };
const namespacesOf = (kubeconfig: Kubeconfig) =>
  kubernetesConnection('test', { kubeconfig: kubeconfig.reveal() }).request({
    method: 'GET',
    path: '/api/v1/namespaces',
    what: 'look around',
    signal,
  });
const refusedWith = (reason: string) => (error: unknown) =>
  (error as { reason?: string }).reason === reason;

test('a granted kubeconfig opens the cluster until its time is over', async () => {
  await using runtimes = await startRuntimes();
  const { cluster, kubeconfig: admin, get } = await runtimes.newCluster();
  const { kubeconfig, server, lifetime } = await cluster.temporaryAccess.grant(guest, signal);
  assert.equal(lifetime, minutes(10));
  assert.match(server, /^https:\/\/.*\/runtimes\/runtime-1$/);
  await namespacesOf(kubeconfig);
  assert.partialDeepStrictEqual(await get(`${roleBindings}/guest`), {
    subjects: [{ kind: 'ServiceAccount', namespace: 'kyma-system', name: 'guest' }],
    roleRef: { kind: 'ClusterRole', name: 'cluster-admin' },
  });
  const tokenOf = (text: string) =>
    (parse(text) as { users: [{ user: { token: string } }] }).users[0].user.token;
  assert.doesNotMatch(kubeconfig.reveal(), new RegExp(tokenOf(admin.reveal())));

  runtimes.landscape.time.advance(minutes(10) - seconds(10));
  await namespacesOf(kubeconfig);
  runtimes.landscape.time.advance(seconds(10));
  await assert.rejects(namespacesOf(kubeconfig), refusedWith('Unauthorized'));
});

test('two grants of one name both work, with one account, and end together when it is revoked', async () => {
  await using runtimes = await startRuntimes();
  const { cluster, list } = await runtimes.newCluster();
  const { temporaryAccess } = cluster;
  const first = await temporaryAccess.grant(guest, signal);
  const second = await temporaryAccess.grant(guest, signal);
  const other = await temporaryAccess.grant({ ...guest, name: 'other' }, signal);
  assert.notEqual(first.kubeconfig.reveal(), second.kubeconfig.reveal());
  assert.equal((await list(accounts)).length, 2);
  await temporaryAccess.revoke('guest', signal);
  for (const { kubeconfig } of [first, second])
    await assert.rejects(namespacesOf(kubeconfig), refusedWith('Unauthorized'));
  await namespacesOf(other.kubeconfig);
  assert.deepEqual(
    (await list(roleBindings)).map(({ metadata }) => metadata.name),
    ['other'],
  );
  await temporaryAccess.revoke('guest', signal);
});

test('an account without its role may do nothing', async () => {
  await using runtimes = await startRuntimes();
  const { cluster, kubeconfig: admin } = await runtimes.newCluster();
  const { kubeconfig } = await cluster.temporaryAccess.grant(guest, signal);
  await kubernetesConnection('test', { kubeconfig: admin.reveal() }).request({
    method: 'DELETE',
    path: `${roleBindings}/guest`,
    what: 'take the role away',
    signal,
  });
  await assert.rejects(namespacesOf(kubeconfig), refusedWith('Forbidden'));
});

test('a lifetime that the cluster does not give is refused, one that it shortens is told', async () => {
  await using runtimes = await startRuntimes();
  const { cluster, fault, failsWith } = await runtimes.newCluster();
  await assert.rejects(
    cluster.temporaryAccess.grant({ ...guest, lifetime: minutes(9) }, signal),
    failsWith({ temporary: false, reason: 'Invalid' }),
  );
  const body = JSON.stringify({ spec: { expirationSeconds: 700 }, status: { token: 't' } });
  fault({
    request: `POST ${accounts}/guest/token`,
    count: 1,
    action: { kind: 'answer', status: 201, body },
  });
  const { lifetime } = await cluster.temporaryAccess.grant(
    { ...guest, lifetime: minutes(60) },
    signal,
  );
  assert.equal(lifetime, seconds(700));
});

test('a kubeconfig without a cluster is refused, and not quoted', () => {
  const token = { name: 'a', token: 't' };
  for (const text of ['canary', '{ canary: [', 'current-context: canary']) {
    assert.throws(
      () => tokenKubeconfig(text, token),
      (error: Error) =>
        !error.message.includes('canary') && refusedWith('invalid_kubeconfig')(error),
    );
  }
});
