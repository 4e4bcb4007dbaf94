import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkKubeconfig } from './check-kubeconfig.ts';

const good = `
current-context: a
clusters:
  - name: a
    cluster: { server: 'https://api.example.com', certificate-authority-data: Y2E= }
contexts: [{ name: a, context: { cluster: a, user: a } }]
users: [{ name: a, user: { token: canary } }]
`;
const user = (how: string) => good.replace('token: canary', how);

test('a kubeconfig with a context, a server and its authority has no complaints', () => {
  assert.deepEqual(checkKubeconfig(good), []);
  assert.deepEqual(checkKubeconfig(JSON.stringify({ ...anyFields, users: null })), []);
});

test('one complete cluster is enough', () => {
  const two = good.replace('clusters:', 'clusters:\n  - { name: b, cluster: {} }');
  assert.deepEqual(checkKubeconfig(two), []);
});

for (const [what, kubeconfig, complaints] of [
  ['without a context', good.replace('current-context: a', ''), ['current-context is missing']],
  [
    'with an empty context',
    good.replace('current-context: a', "current-context: ''"),
    ['current-context is empty'],
  ],
  [
    'without a server',
    good.replace("server: 'https://api.example.com',", ''),
    ['clusters.0.cluster.server is missing'],
  ],
  [
    'without an authority',
    good.replace(', certificate-authority-data: Y2E=', ''),
    ['clusters.0.cluster.certificate-authority-data is missing'],
  ],
  ['without clusters', 'current-context: a', ['clusters is missing or empty']],
  ['without anything', '{}', ['current-context is missing', 'clusters is missing or empty']],
  ['that is empty', '', ['the kubeconfig is not an object with fields']],
  ['that is a text', 'canary', ['the kubeconfig is not an object with fields']],
  ['that is no YAML', '{ canary: [', ['the kubeconfig is not an object with fields']],
  [
    'whose clusters are no list',
    `${good}\nclusters: canary`.replace(/clusters:\n.*\n.*\n/, ''),
    ['clusters is not a list'],
  ],
  [
    'whose server is a number',
    good.replace(/'https.*com'/, '7'),
    ['clusters.0.cluster.server is not a text'],
  ],
  [
    'that runs a command',
    user('exec: { command: canary }'),
    ['users.0.user.exec is not allowed: it runs a command'],
  ],
  [
    'that asks a provider',
    user('auth-provider: { name: canary }'),
    ['users.0.user.auth-provider is not allowed: it runs a command'],
  ],
  [
    'that names a file',
    user('client-key: /canary'),
    ['users.0.user.client-key is not allowed: it names a file, give its content instead'],
  ],
  [
    'that goes through a proxy',
    good.replace('Y2E=', "Y2E=, proxy-url: 'http://canary'"),
    ['clusters.0.cluster.proxy-url is not allowed: clusters are reached directly'],
  ],
] as const) {
  test(`a kubeconfig ${what} is refused by the names of its fields alone`, () => {
    assert.deepEqual(checkKubeconfig(kubeconfig), complaints);
  });
}

const anyFields = {
  kind: 'Config',
  preferences: {},
  'current-context': 'a',
  clusters: [{ name: 'a', cluster: { server: 'https://a', 'certificate-authority-data': 'Y2E=' } }],
};
