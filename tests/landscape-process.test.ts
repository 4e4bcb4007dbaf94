import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempDisposableSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';

const program = join(import.meta.dirname, '../bin/landscape.ts');

/** The process, the address it tells, and how it ends. Killed if a test fails before its end. */
async function startProcess(settings: Record<string, string>, ...words: string[]) {
  const child = spawn(process.execPath, [program, ...words], {
    env: { ...process.env, LANDSCAPE_PORT: '0', ...settings },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const errors = text(child.stderr);
  const ended = once(child, 'close').then(async ([code]) => ({
    code: code as number | null,
    errors: await errors,
    lines,
  }));
  const lines: string[] = [];
  const { promise: url, resolve } = Promise.withResolvers<string>();
  createInterface(child.stdout).on('line', (line) => {
    lines.push(line);
    const [told] = /http:\S+(?=\/_inventory)/.exec(line) ?? [];
    if (told) resolve(told);
  });
  return {
    url,
    ended,
    kill: (signal: NodeJS.Signals) => child.kill(signal),
    [Symbol.asyncDispose]: async () => {
      child.kill('SIGKILL');
      await ended;
    },
  };
}

for (const signal of ['SIGTERM', 'SIGINT'] as const) {
  test(`the landscape tells where its systems are, and ends at ${signal}`, async () => {
    await using landscape = await startProcess({
      LANDSCAPE_SPEED: '60',
      LANDSCAPE_LOG: 'requests',
    });
    const url = await landscape.url;
    const time = await fetch(`${url}/_time`);
    assert.equal(((await time.json()) as { speed: number }).speed, 60);
    await (await fetch(`${url}/issuer/jwks?secret=1`)).text();
    landscape.kill(signal);
    const { code, errors, lines } = await landscape.ended;
    assert.deepEqual({ code, errors }, { code: 0, errors: '' });
    for (const line of [
      `edp ${url}/edp`,
      `issuer ${url}/issuer`,
      'issuer GET /jwks?secret=… 200 (node)',
    ])
      assert.ok(
        lines.some((each) => each.trim().replace(/ +/g, ' ') === line),
        line,
      );
  });
}

test('a second landscape on the same port says so, and ends', async () => {
  await using first = await startProcess({});
  const { port } = new URL(await first.url);
  await using second = await startProcess({ LANDSCAPE_PORT: port });
  const { code, errors } = await second.ended;
  assert.equal(code, 1);
  assert.equal(
    errors,
    `port ${port} is in use: stop what listens there, or set LANDSCAPE_PORT to another one\n`,
  );
});

for (const [name, value] of [
  ['LANDSCAPE_PORT', 'http'],
  ['LANDSCAPE_PORT', '70000'],
  ['LANDSCAPE_SPEED', '0'],
  ['LANDSCAPE_LOG', 'everything'],
] as const) {
  test(`${name}=${value} is refused by its name`, async () => {
    await using landscape = await startProcess({ [name]: value });
    const { code, errors } = await landscape.ended;
    assert.equal(code, 2);
    assert.match(errors, new RegExp(`^${name}: `));
  });
}

test('--help tells of the settings, any other option is refused', async () => {
  await using help = await startProcess({}, '--help');
  const { code, lines } = await help.ended;
  assert.equal(code, 0);
  for (const name of ['LANDSCAPE_PORT', 'SPEED', 'LOG', 'STATE'])
    assert.match(lines.join('\n'), new RegExp(name));
  await using wrong = await startProcess({}, '--prot');
  assert.equal((await wrong.ended).code, 2);
});

const shoots = '/gardener/apis/core.gardener.cloud/v1beta1/namespaces/garden-kyma/shoots';

const send = (url: string, method: string, body?: unknown) =>
  fetch(url, {
    method,
    headers: {
      'content-type': 'application/json',
      'user-agent': 'visitor/1.0',
      authorization: 'Bearer token-of-the-kyma-project',
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });

async function orderShoot(url: string): Promise<void> {
  const response = await send(url + shoots, 'POST', {
    metadata: { name: 'c-12345' },
    spec: { secretBindingName: 'azure-pool-001' },
  });
  assert.equal(response.status, 201);
}

async function stateOfShoot(url: string): Promise<string> {
  const response = await send(`${url}${shoots}/c-12345`, 'GET');
  const { status } = (await response.json()) as { status: { lastOperation: { state: string } } };
  return status.lastOperation.state;
}

for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
  test(`with LANDSCAPE_STATE what was ordered before ${signal} is there at the next start, and goes on`, async () => {
    using folder = mkdtempDisposableSync(join(tmpdir(), 'landscape-'));
    const file = join(folder.path, 'state');
    const settings = { LANDSCAPE_STATE: file, LANDSCAPE_SPEED: '1' };
    await using first = await startProcess(settings);
    await orderShoot(await first.url);
    // Nothing tells when a file has changed for sure: it is to be written within about a second.
    if (signal === 'SIGKILL') while (!readFileSync(file).includes('c-12345')) await sleep(20);
    first.kill(signal);
    assert.equal((await first.ended).code, signal === 'SIGKILL' ? null : 0);

    await using second = await startProcess(settings);
    const url = await second.url;
    const inventory = (await (await fetch(`${url}/_inventory`)).json()) as {
      gardener: Record<string, unknown[]>;
    };
    assert.deepEqual(inventory.gardener['shoots.core.gardener.cloud'], [
      { namespace: 'garden-kyma', name: 'c-12345', askedBy: 'visitor/1.0' },
    ]);
    assert.equal(await stateOfShoot(url), 'Processing');
    await send(`${url}/_time`, 'PUT', { advance: 310_000 });
    assert.equal(await stateOfShoot(url), 'Succeeded');
  });
}

test('a state that cannot be read is refused by its name', async () => {
  using folder = mkdtempDisposableSync(join(tmpdir(), 'landscape-'));
  const file = join(folder.path, 'state');
  writeFileSync(file, 'no state');
  await using landscape = await startProcess({ LANDSCAPE_STATE: file });
  const { code, errors } = await landscape.ended;
  assert.equal(code, 1);
  assert.match(errors, /^LANDSCAPE_STATE: the state in /);
  assert.ok(errors.includes(file));
});
