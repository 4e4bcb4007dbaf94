// npm start and npm run demo, as people run them: real processes, ports and files.
import assert from 'node:assert/strict';
import { execFile, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { seconds } from '#time';
import { eventually, temporaryDirectory, testDatabase } from '../src/database/testing.ts';

type Settings = Readonly<Record<string, string>>;

const { PATH, NODE_COMPILE_CACHE } = process.env;
const ours = { PATH, NODE_COMPILE_CACHE };
const anyPorts = { BROKER_PORT: '0', PROVISIONER_PORT: '0', LANDSCAPE_PORT: '0' };
const inAHurry = { LANDSCAPE_SPEED: '600' };
const instance = '/oauth/cf-eu20/v2/service_instances/my-first';
const hasCurl = spawnSync('curl', ['--version']).status === 0;

/** What it prints until it ends. Killed if a test fails before that. */
function run(program: 'start' | 'demo', settings: Settings) {
  const child = spawn(process.execPath, [join(import.meta.dirname, `../bin/${program}.ts`)], {
    env: { ...ours, ...anyPorts, ...settings },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const errors = text(child.stderr);
  let printed = '';
  child.stdout.on('data', (chunk: Buffer) => {
    printed += String(chunk);
  });
  const ended = once(child, 'close').then(async ([code]) => ({
    code: code as number | null,
    printed,
    errors: await errors,
  }));
  return {
    ended,
    /** All that it has printed, once this is part of it. */
    untilPrinted: (words: string) =>
      Promise.race([
        eventually(async () => printed.includes(words) && printed),
        ended.then(({ code, errors: why }) => assert.fail(`it ended with ${code}: ${why}`)),
      ]),
    kill: (signal: NodeJS.Signals) => child.kill(signal),
    [Symbol.asyncDispose]: async () => {
      child.kill('SIGKILL');
      await ended;
    },
  };
}

/** Where the service listens, as `npm start` has told. */
const addressIn = (printed: string, service: string) =>
  new RegExp(`^ *${service} +(http://\\S+)`, 'm').exec(printed)?.[1] ?? assert.fail(printed);

async function tokenFrom(landscape: string): Promise<string> {
  const response = await fetch(`${landscape}/oauth2/token`, {
    method: 'POST',
    headers: { authorization: `Basic ${Buffer.from('demo:demo').toString('base64')}` },
    body: new URLSearchParams({ grant_type: 'client_credentials' }),
  });
  const { access_token: token } = (await response.json()) as { access_token: string }; // as the issuer answers
  return token;
}

test(
  'npm start prints what to do; that works as it stands; and the next start goes on with it',
  { skip: !hasCurl && 'curl is not installed' },
  async (t) => {
    await using folder = await temporaryDirectory();
    const place = { DATA_DIR: join(folder.path, 'data') };
    await using first = run('start', place);
    const printed = await first.untilPrinted('npm run demo');
    const broker = addressIn(printed, 'broker');
    const landscape = addressIn(printed, 'landscape');

    await t.test('the credentials and the token endpoint are told', () => {
      const tokens = `${landscape.replace('127.0.0.1', 'localhost')}/oauth2/token`;
      assert.ok(printed.includes(`client id demo, secret demo, token endpoint ${tokens}`), printed);
    });

    await t.test('nobody comes in without a token, but everybody may ask how it is', async () => {
      const headers = { 'x-broker-api-version': '2.17' };
      for (const prefix of ['/v2', '/oauth/v2', '/oauth/cf-eu20/v2'])
        assert.equal((await fetch(`${broker}${prefix}/catalog`, { headers })).status, 401, prefix);
      assert.equal((await fetch(`${broker}/healthz`)).status, 200);
    });

    await t.test('the printed order is accepted, and can be watched', async () => {
      const [, order = assert.fail(printed), watch = ''] =
        /Order a runtime:\n(.*?)Watch it:(.*?)From order/s.exec(printed) ?? [];
      const { stdout } = await promisify(execFile)('sh', ['-c', `${order}\necho\n${watch}`]);
      const [accepted, state] = stdout.trim().split('\n').map(json);
      assert.ok(typeof accepted?.['operation'] === 'string', stdout);
      assert.equal(state?.['state'], 'in progress', stdout);
    });

    await t.test('SIGTERM ends it within seconds', async () => {
      const asked = performance.now();
      first.kill('SIGTERM');
      const { code, errors } = await first.ended;
      assert.deepEqual({ code, errors }, { code: 0, errors: '' });
      const took = performance.now() - asked;
      assert.ok(took < seconds(10), `it took ${took} ms`);
    });

    // The clusters are where they were: on the same port.
    const { port: LANDSCAPE_PORT } = new URL(landscape);
    await using second = run('start', { ...place, ...inAHurry, LANDSCAPE_PORT });
    const again = await second.untilPrinted('npm run demo');

    await t.test('the next start finishes what was begun', async () => {
      const headers = {
        authorization: `Bearer ${await tokenFrom(landscape)}`,
        'x-broker-api-version': '2.17',
      };
      const url = `${addressIn(again, 'broker')}${instance}/last_operation`;
      const last = await eventually(async () => {
        const found = json(await (await fetch(url, { headers })).text());
        return found['state'] !== 'in progress' && found;
      });
      assert.equal(last['state'], 'succeeded', JSON.stringify(last));
    });

    await t.test('the demo uses what runs already', async () => {
      const { port: BROKER_PORT } = new URL(addressIn(again, 'broker'));
      await using demo = run('demo', { BROKER_PORT, LANDSCAPE_PORT });
      const { code, printed: told, errors } = await demo.ended;
      assert.deepEqual({ code, errors }, { code: 0, errors: '' }, told);
      assert.match(told, /^using the product that runs at .*nothing is left behind\n$/s);
    });
  },
);

test('npm run demo brings its own product, orders, follows, removes, and leaves nothing behind', async () => {
  await using folder = await temporaryDirectory();
  await using database = await testDatabase();
  const place = { DATABASE_URL: database.url, DATA_DIR: join(folder.path, 'data') };
  await using demo = run('demo', { ...place, ...inAHurry });
  const { code, printed, errors } = await demo.ended;
  assert.deepEqual({ code, errors }, { code: 0, errors: '' }, printed);
  for (const part of [
    /ordering a runtime/,
    /in progress: Check_Runtime waits for provisioner/,
    /the runtime is there: https:/,
    /Gardener has 1 cluster$/m,
    /deprovisioning it/,
    /nothing is left behind\n$/,
  ])
    assert.match(printed, part);
});

for (const setting of Object.keys(anyPorts)) {
  test(`a ${setting} that is taken stops the start, and is named`, async () => {
    await using folder = await temporaryDirectory();
    await using database = await testDatabase();
    await using occupant = createServer().listen(0, '127.0.0.1');
    await once(occupant, 'listening');
    const { port } = occupant.address() as AddressInfo; // a port, not a pipe
    await using start = run('start', {
      DATABASE_URL: database.url,
      DATA_DIR: join(folder.path, 'data'),
      [setting]: String(port),
    });
    const { code, errors } = await start.ended;
    assert.equal(code, 1);
    const advice = 'stop what listens there, or choose another one';
    assert.equal(errors, `port ${port} is in use: ${advice}\n`);
  });
}

test('a setting that makes no sense stops the start, and is named', async () => {
  await using start = run('start', { BROKER_PORT: 'eighty' });
  const { code, errors } = await start.ended;
  assert.equal(code, 2);
  assert.match(errors, /BROKER_PORT/);
});

const json = (line: string) => JSON.parse(line) as Readonly<Record<string, unknown>>; // as both services answer
