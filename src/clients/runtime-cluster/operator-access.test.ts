import assert from 'node:assert/strict';
import { test } from 'node:test';
import { named, roleBindings, signal, startRuntimes, type Runtime } from './testing.ts';

const roles = '/apis/rbac.authorization.k8s.io/v1/clusterroles';
const apiGroup = 'rbac.authorization.k8s.io';
const labels = { 'reconciler.kyma-project.io/managed-by': 'reconciler', app: 'kyma' };
const access = {
  l2Group: 'runtimeOperator',
  l3Group: 'runtimeAdmin',
  administrators: ['a@example.com', 'b@example.com'],
};
const bindingOf = (name: string, subject: object, role: string) => ({
  metadata: { name, labels },
  subjects: [{ ...subject, apiGroup }],
  roleRef: { apiGroup, kind: 'ClusterRole', name: role },
});

/** Who is what, as 'administrator0: User a@example.com is cluster-admin'. */
const grantsIn = async ({ list }: Runtime) => {
  const bindings = (await list(roleBindings)) as unknown as ReturnType<typeof bindingOf>[]; // as created here
  return bindings.map(({ metadata, subjects, roleRef }) => {
    const who = subjects.map((each) => Object.values(each).slice(0, 2).join(' ')).join(', ');
    return `${metadata.name}: ${who} is ${roleRef.name}`;
  });
};

test('operators and administrators get roles and bindings', async () => {
  await using runtimes = await startRuntimes();
  const runtime = await runtimes.newCluster();
  await runtime.cluster.ensureOperatorAccess(access, signal);
  assert.partialDeepStrictEqual(await runtime.get(`${roles}/l2-operator`), {
    metadata: { labels: { app: 'kyma' } },
    aggregationRule: {
      clusterRoleSelectors: [
        { matchLabels: { 'rbac.authorization.k8s.io/aggregate-to-edit': 'true' } },
        { matchLabels: { 'rbac.authorization.k8s.io/aggregate-to-l2-operator': 'true' } },
      ],
    },
  });
  assert.partialDeepStrictEqual(await runtime.get(`${roles}/l2-operator-rules`), {
    metadata: {
      labels: { app: 'kyma', 'rbac.authorization.k8s.io/aggregate-to-l2-operator': 'true' },
    },
    rules: [{ verbs: ['get', 'list', 'watch'], apiGroups: ['*'], resources: ['*'] }],
  });
  const [user, group] = [{ kind: 'User' }, { kind: 'Group' }];
  for (const expected of [
    bindingOf('l2-operator', { ...group, name: 'runtimeOperator' }, 'l2-operator'),
    bindingOf('l3-operator-admin', { ...group, name: 'runtimeAdmin' }, 'cluster-admin'),
    bindingOf('administrator0', { ...user, name: 'a@example.com' }, 'cluster-admin'),
    bindingOf('administrator1', { ...user, name: 'b@example.com' }, 'cluster-admin'),
  ]) {
    const found = await runtime.get(`${roleBindings}/${expected.metadata.name}`);
    assert.partialDeepStrictEqual(found, expected);
  }
  assert.equal((await runtime.list(roleBindings)).length, 4);
});

test('a repetition changes nothing, and writes no binding', async () => {
  await using runtimes = await startRuntimes();
  const { cluster, list, requests } = await runtimes.newCluster();
  await cluster.ensureOperatorAccess(access, signal);
  const before = [...(await list(roles)), ...(await list(roleBindings))];
  const earlier = requests().length;
  await cluster.ensureOperatorAccess(access, signal);
  const [...asked] = requests().slice(earlier);
  assert.deepEqual(asked.slice(0, 2), [`POST ${roles}`, `POST ${roles}`]);
  assert.equal(asked.length, 3);
  assert.match(asked[2] ?? '', /^GET .*\/clusterrolebindings\?labelSelector=/);
  assert.deepEqual([...(await list(roles)), ...(await list(roleBindings))], before);
});

test('without groups there are administrators alone', async () => {
  await using runtimes = await startRuntimes();
  const runtime = await runtimes.newCluster();
  await runtime.cluster.ensureOperatorAccess({ administrators: ['a@example.com'] }, signal);
  assert.deepEqual(await runtime.list(roles), []);
  assert.deepEqual(await grantsIn(runtime), [
    'administrator0: User a@example.com is cluster-admin',
  ]);
});

test('only what differs is replaced, and what nobody wants any more is deleted', async () => {
  await using runtimes = await startRuntimes();
  const runtime = await runtimes.newCluster();
  const { cluster, create, get } = runtime;
  await cluster.ensureOperatorAccess(access, signal);
  const l2 = await get(`${roleBindings}/l2-operator`);
  await create(roleBindings, bindingOf('old', { kind: 'Group', name: 'x' }, 'cluster-admin'));
  await cluster.ensureOperatorAccess(
    { l2Group: 'runtimeOperator', l3Group: 'others', administrators: ['b@example.com'] },
    signal,
  );
  assert.deepEqual((await grantsIn(runtime)).toSorted(), [
    'administrator0: User b@example.com is cluster-admin',
    'l2-operator: Group runtimeOperator is l2-operator',
    'l3-operator-admin: Group others is cluster-admin',
  ]);
  assert.deepEqual(await get(`${roleBindings}/l2-operator`), l2);
});

test('nobody stays an administrator when none is wanted', async () => {
  await using runtimes = await startRuntimes();
  const runtime = await runtimes.newCluster();
  await runtime.cluster.ensureOperatorAccess(access, signal);
  await runtime.cluster.ensureOperatorAccess({ administrators: [] }, signal);
  assert.deepEqual(await grantsIn(runtime), []);
});

for (const [what, wrong] of [
  ['another role', bindingOf('administrator0', { kind: 'User', name: 'a@example.com' }, 'view')],
  [
    'a group',
    bindingOf('administrator0', { kind: 'Group', name: 'a@example.com' }, 'cluster-admin'),
  ],
  ['nobody', { ...bindingOf('administrator0', {}, 'cluster-admin'), subjects: undefined }],
] as const) {
  test(`a binding for ${what} is put right`, async () => {
    await using runtimes = await startRuntimes();
    const runtime = await runtimes.newCluster();
    await runtime.create(roleBindings, wrong);
    await runtime.cluster.ensureOperatorAccess({ administrators: ['a@example.com'] }, signal);
    assert.deepEqual(await grantsIn(runtime), [
      'administrator0: User a@example.com is cluster-admin',
    ]);
  });
}

test('roles and bindings that others have made stay as they are', async () => {
  await using runtimes = await startRuntimes();
  const runtime = await runtimes.newCluster();
  const { cluster, create, get } = runtime;
  await create(roles, named('l2-operator'));
  const theirs = {
    ...bindingOf('administrator0', { kind: 'User', name: 'x' }, 'view'),
    ...named('administrator0'),
  };
  await create(roleBindings, theirs);
  const before = [await get(`${roles}/l2-operator`), await get(`${roleBindings}/administrator0`)];
  await cluster.ensureOperatorAccess(access, signal);
  const after = [await get(`${roles}/l2-operator`), await get(`${roleBindings}/administrator0`)];
  assert.deepEqual(after, before);
  assert.equal((await grantsIn(runtime)).length, 4);
});

test('a binding that was replaced between reading and deleting is not deleted', async () => {
  await using runtimes = await startRuntimes();
  const runtime = await runtimes.newCluster();
  const { cluster, create, get, list, fault, failsWith } = runtime;
  const old = bindingOf('old', { kind: 'Group', name: 'x' }, 'cluster-admin');
  await create(roleBindings, old);
  const items = (await list(roleBindings)).map(({ metadata, ...others }) => ({
    ...others,
    metadata: { ...metadata, uid: 'of-the-one-before' },
  }));
  const body = JSON.stringify({ items });
  fault({ count: 1, action: { kind: 'answer', status: 200, body } });
  await assert.rejects(
    cluster.ensureOperatorAccess({ administrators: [] }, signal),
    failsWith({ temporary: true, reason: 'Conflict', status: 409 }),
  );
  assert.notEqual(await get(`${roleBindings}/old`), undefined);
});

test('what goes before it is deleted is as good as deleted', async () => {
  await using runtimes = await startRuntimes();
  const runtime = await runtimes.newCluster();
  await runtime.create(roleBindings, bindingOf('old', { kind: 'Group', name: 'x' }, 'view'));
  const body = JSON.stringify({ kind: 'Status', reason: 'NotFound', code: 404 });
  const request = `DELETE ${roleBindings}/old`;
  runtime.fault({ request, action: { kind: 'answer', status: 404, body } });
  await runtime.cluster.ensureOperatorAccess({ administrators: ['a'] }, signal);
  assert.notEqual(await runtime.get(`${roleBindings}/administrator0`), undefined);
});
