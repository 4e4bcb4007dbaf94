// kcp as people start it: a process, with files and pipes.
import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { promisify } from 'node:util';
import { startMachine } from '../../src/cli/testing.ts';
import { startLandscape } from '../../src/landscape/testing.ts';

const program = join(import.meta.dirname, '..', '..', 'bin', 'kcp.js');
const landscape = await startLandscape();
const machine = await startMachine();
after(async () => {
  await machine[Symbol.asyncDispose]();
  await landscape[Symbol.asyncDispose]();
});

const environment = {
  PATH: process.env['PATH'],
  HOME: machine.home,
  KCP_OIDC_ISSUER_URL: `${landscape.url}/issuer`,
  KCP_OIDC_CLIENT_ID: 'kcp',
  KCP_KEB_API_URL: landscape.url,
};
const kcp = (...line: string[]) =>
  promisify(execFile)(process.execPath, [program, ...line], { env: environment });

test('a login of one process is there for the next', async () => {
  const { stdout } = await kcp('login', '-u', 'viewer', '-p', 'viewer-demo-password');
  assert.match(stdout, /logged in at .* as viewer/);
  assert.match((await kcp('token')).stdout, /^[\w-]+\.[\w-]+\.[\w-]+\n$/);
});

test('an error is one line on standard error, and the exit code says of what kind', async () => {
  await assert.rejects(kcp('operations', 'x'), {
    code: 4,
    stdout: '',
    stderr: /^error: GET [^\n]*404[^\n]*\n$/,
  });
  await assert.rejects(kcp('nonsense'), { code: 2 });
});

test('a reader that has enough, and Ctrl-C, end it quietly', async () => {
  const closed = spawn(process.execPath, [program, '--help'], { env: environment });
  closed.stdout.destroy();
  let said = '';
  closed.stderr.on('data', (piece) => (said += String(piece)));
  await once(closed, 'close');
  assert.equal(said, '');

  const waiting = spawn(process.execPath, [program, 'login', '--device'], { env: environment });
  await once(waiting.stderr, 'data');
  waiting.kill('SIGINT');
  const [code] = (await once(waiting, 'close')) as [number];
  assert.equal(code, 130);
});
