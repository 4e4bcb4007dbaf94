import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';

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
  for (const name of ['LANDSCAPE_PORT', 'SPEED', 'LOG'])
    assert.match(lines.join('\n'), new RegExp(name));
  await using wrong = await startProcess({}, '--prot');
  assert.equal((await wrong.ended).code, 2);
});
