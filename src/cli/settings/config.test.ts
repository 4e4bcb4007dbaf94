import assert from 'node:assert/strict';
import { readFile, stat, writeFile } from 'node:fs/promises';
import { test } from 'node:test';
import { startMachine } from '../testing.ts';

test('without settings, a command says which are missing, and where to look', async () => {
  await using own = await startMachine();
  const { code, notes } = await own.kcp(['runtimes']);
  assert.equal(code, 2);
  assert.match(
    notes,
    /missing required options: oidc-issuer-url, oidc-client-id, keb-api-url\. See kcp --help for more information/,
  );
});

test('kcp config demo is all that is needed for npm start', async () => {
  await using own = await startMachine();
  assert.equal((await own.kcp(['config', 'demo'])).code, 0);
  const { output } = await own.kcp(['config', 'view']);
  assert.match(output, /currentContext: demo/);
  assert.match(output, /keb-api-url: http:\/\/127\.0\.0\.1:8080/);
  assert.match(output, /mothership-api-url: http:\/\/127\.0\.0\.1:9090\/reconciler/);
  assert.match(
    (await own.kcp(['runtimes'])).notes,
    /not logged in at http:\/\/127\.0\.0\.1:9090\/issuer/,
  );
});

test('contexts are made, listed, used and removed', async () => {
  await using own = await startMachine();
  const set = (context: string, url: string) =>
    own.kcp(['config', 'set', 'keb-api-url', url, '--context', context]);
  await set('dev', 'https://dev.example.com');
  await set('prod', 'https://prod.example.com');
  await own.kcp(['config', 'use-context', 'prod']);
  const { output } = await own.kcp(['config', 'get-contexts']);
  assert.match(output, /^\s+dev +https:\/\/dev\.example\.com/m);
  assert.match(output, /^\* +prod +https:\/\/prod\.example\.com/m);
  const { code, notes } = await own.kcp(['config', 'use-context', 'nowhere']);
  assert.equal(code, 4);
  assert.match(notes, /there is no context nowhere; there are: dev, prod/);
  await own.kcp(['config', 'delete-context', 'prod']);
  assert.doesNotMatch((await own.kcp(['config', 'get-contexts'])).output, /prod/);
});

test('a secret is set from standard input, kept in a file for its owner alone, and shown to nobody', async () => {
  await using own = await startMachine();
  const typed = 'canary-secret\n';
  const set = await own.kcp(['config', 'set', 'oidc-client-secret', '-'], { typed });
  const view = await own.kcp(['config', 'view']);
  assert.match(view.output, /oidc-client-secret: <hidden>/);
  assert.doesNotMatch(set.output + set.notes + view.output + view.notes, /canary/);
  const path = own.path('.kcp/config.yaml');
  assert.match(await readFile(path, 'utf8'), /canary-secret/);
  assert.equal((await stat(path)).mode & 0o777, 0o600);
});

test('a flag counts more than the environment, that more than the context, that more than the file', async () => {
  await using own = await startMachine();
  const path = own.path('kcp.yaml');
  const issuer = (name: string) => `oidc-issuer-url: http://${name}.invalid`;
  await writeFile(
    path,
    [`contexts:`, `  one:`, `    ${issuer('context')}`, issuer('file')].join('\n'),
  );
  const asked = async (
    line: readonly string[],
    environment: Readonly<Record<string, string>> = {},
  ) => {
    const all = { KCPCONFIG: path, KCP_OIDC_CLIENT_ID: 'kcp', KCP_KEB_API_URL: 'http://b.invalid' };
    const { notes } = await own.kcp(['token', ...line], {
      environment: { ...all, ...environment },
    });
    return /at http:\/\/(\w+)\.invalid/.exec(notes)?.[1];
  };
  const variable = { KCP_OIDC_ISSUER_URL: 'http://variable.invalid' };
  const flag = ['--oidc-issuer-url', 'http://flag.invalid'];
  assert.equal(await asked([]), 'file');
  assert.equal(await asked(['--context', 'one']), 'context');
  assert.equal(await asked(['--context', 'one'], variable), 'variable');
  assert.equal(await asked([...flag, '--context', 'one'], variable), 'flag');
});

for (const [content, complaint] of [
  ['a: [', /is no YAML/],
  ['just text', /must hold settings by name/],
  ['colour: red', /colour is no setting; allowed are oidc-issuer-url/],
  ['contexts: {one: {keb-api-url: 7}}', /contexts\.one: keb-api-url must be a text/],
  ['currentContext: gone', /there is no context gone in .*; it has: none/],
] as const)
  test(`a config file with ${content} is refused by name`, async () => {
    await using own = await startMachine();
    const path = own.path('bad.yaml');
    await writeFile(path, content);
    const { code, notes } = await own.kcp(['runtimes', '--config', path]);
    assert.equal(code, 2);
    assert.match(notes, complaint);
    assert.match(notes, /bad\.yaml/);
  });
