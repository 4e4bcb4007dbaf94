import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { gunzipSync, gzipSync } from 'node:zlib';
import { fastify } from 'fastify';
import { temporaryDirectory } from '../../database/testing.ts';
import { builtConsole, readConsoleFiles } from './console-files.ts';
import { serveConsole, type ConsoleSettings } from './serve-console.ts';

/** A bundle of two files, served. */
async function startConsole(settings: Partial<ConsoleSettings> = {}, isBuilt = true) {
  await using resources = new AsyncDisposableStack();
  const folder = resources.use(await temporaryDirectory());
  if (isBuilt) {
    await mkdir(join(folder.path, 'assets'));
    await writeFile(join(folder.path, 'index.html'), '<!doctype html>the page');
    await writeFile(join(folder.path, 'assets/index-abc.js'), 'alert(1)');
    await writeFile(join(folder.path, '.built'), 'no file of the console');
  }
  const app = fastify();
  resources.defer(() => app.close());
  const all = { clientId: 'console', directory: folder.path, ...settings };
  await serveConsole(app, all);
  await app.ready();
  const moved = resources.move();
  return {
    get: (url: string, headers = {}) => app.inject({ url, headers }),
    [Symbol.asyncDispose]: () => moved.disposeAsync(),
  };
}

test('every address of the console is its page, and the root leads there', async () => {
  await using console = await startConsole();
  assert.equal((await console.get('/')).headers.location, '/ui/');
  for (const path of [
    '/ui/',
    '/ui/runtimes',
    '/ui/runtimes/a%2Fb?operation=1',
    '/callback?code=1',
  ]) {
    const { statusCode, body, headers } = await console.get(path);
    assert.equal(statusCode, 200, path);
    assert.equal(body, '<!doctype html>the page');
    assert.equal(headers['cache-control'], 'no-cache');
  }
});

test('nothing runs but our own files, and only the issuer and the landscape are talked to', async () => {
  await using console = await startConsole({
    issuer: 'https://issuer.example.com/realm',
    landscapeUrl: 'http://127.0.0.1:9090',
  });
  const policy = String((await console.get('/ui/')).headers['content-security-policy']);
  assert.match(policy, /^default-src 'self';/);
  assert.match(
    policy,
    /connect-src 'self' https:\/\/issuer\.example\.com http:\/\/127\.0\.0\.1:9090;/,
  );
  assert.match(policy, /frame-ancestors 'none'/);
  assert.doesNotMatch(policy, /unsafe/);
});

test('files with a hash in their name are kept for good, and sent compressed to whoever takes that', async () => {
  await using console = await startConsole();
  const plain = await console.get('/ui/assets/index-abc.js');
  assert.equal(plain.body, 'alert(1)');
  assert.match(String(plain.headers['cache-control']), /immutable/);
  const small = await console.get('/ui/assets/index-abc.js', { 'accept-encoding': 'br, gzip' });
  assert.equal(small.headers['content-encoding'], 'gzip');
  assert.equal(String(gunzipSync(small.rawPayload)), 'alert(1)');
});

test('what is not part of the bundle is not served', async () => {
  await using console = await startConsole();
  for (const path of [
    '/ui/assets/other.js',
    '/ui/assets/..%2f.built',
    '/ui/assets/%2e%2e/.built',
  ]) {
    const { body } = await console.get(path);
    assert.doesNotMatch(body, /no file of the console/, path);
  }
});

test('without a bundle the root says how to build one', async () => {
  await using console = await startConsole({}, false);
  const { statusCode, body } = await console.get('/');
  assert.equal(statusCode, 503);
  assert.match(body, /npm run setup/);
});

test('the console learns where to sign in, and whether it is a demo', async () => {
  const settings = { issuer: 'https://issuer.example.com', clientId: 'ui' };
  await using console = await startConsole(settings);
  assert.deepEqual((await console.get('/console/config.json')).json(), {
    ...settings,
    demo: false,
  });
  await using demo = await startConsole({ landscapeUrl: 'http://127.0.0.1:9090' });
  assert.deepEqual((await demo.get('/console/config.json')).json(), {
    clientId: 'console',
    demo: true,
    landscapeUrl: 'http://127.0.0.1:9090',
  });
});

test('the whole console is smaller than 150 kB on the wire', async (t) => {
  const files = await readConsoleFiles(builtConsole);
  if (files.size === 0) {
    t.skip('the console is not built: npm run setup');
    return;
  }
  const bytes = files.values().reduce((sum, { content }) => sum + gzipSync(content).length, 0);
  assert.ok(bytes < 150_000, `it has ${bytes} bytes`);
});
