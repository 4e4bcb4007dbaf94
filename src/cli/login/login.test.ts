import assert from 'node:assert/strict';
import { readFile, stat, writeFile } from 'node:fs/promises';
import { after, test } from 'node:test';
import { hours, seconds } from '#time';
import { choose } from '../../landscape/issuer/testing.ts';
import { startLandscape } from '../../landscape/testing.ts';
import { startMachine, type Machine } from '../testing.ts';

const landscape = await startLandscape();
after(() => landscape[Symbol.asyncDispose]());
const issuer = `${landscape.url}/issuer`;

const machine = (more: Readonly<Record<string, string>> = {}) =>
  startMachine({
    KCP_OIDC_ISSUER_URL: issuer,
    KCP_OIDC_CLIENT_ID: 'kcp',
    KCP_KEB_API_URL: 'http://127.0.0.1:9',
    ...more,
  });

/** Whose token it is that commands would use now. */
async function subject({ kcp }: Machine): Promise<unknown> {
  const { output, code, notes } = await kcp(['token']);
  assert.equal(code, 0, notes);
  const [, payload = ''] = output.split('.');
  return (JSON.parse(Buffer.from(payload, 'base64url').toString()) as { sub: string }).sub;
}

test('with a name and a password, kcp is logged in, and says as whom', async () => {
  await using own = await machine();
  const { code, output } = await own.kcp(['login', '-u', 'admin', '-p', 'admin-demo-password']);
  assert.equal(code, 0);
  assert.match(output, /as admin/);
  assert.match(output, /groups: runtimeAdmin, orchestrationsAdmin/);
  assert.equal(await subject(own), 'admin');
});

test('a password is read from standard input, so that nobody sees it among the processes', async () => {
  await using own = await machine();
  const line = ['l', '-u', 'viewer', '-p', '-'];
  const { code } = await own.kcp(line, { typed: 'viewer-demo-password\n' });
  assert.equal(code, 0);
  assert.equal(await subject(own), 'viewer');
});

test('a wrong password is told with exit code 3, and nothing is kept', async () => {
  await using own = await machine();
  const { code, notes } = await own.kcp(['login', '-u', 'admin', '-p', 'hunter2']);
  assert.equal(code, 3);
  assert.match(notes, /gives no token for client kcp \(invalid_grant/);
  assert.doesNotMatch(notes, /hunter2/);
  assert.equal((await own.kcp(['token'])).code, 3);
});

test('a name without a password is a mistake of usage', async () => {
  await using own = await machine();
  const { code, notes } = await own.kcp(['login', '-u', 'admin']);
  assert.equal(code, 2);
  assert.match(notes, /--username and --password belong together/);
});

test('a client with a secret logs in as itself, and needs no login before the first command', async () => {
  await using own = await machine({
    KCP_OIDC_CLIENT_ID: 'demo',
    KCP_OIDC_CLIENT_SECRET: 'demo',
  });
  assert.equal(await subject(own), 'demo');
  assert.match((await own.kcp(['login'])).output, /as demo, until \d{4}\/\d\d\/\d\d \d\d:/);
});

test('with a browser: the code comes back to this machine, and the browser is thanked', async () => {
  await using own = await machine();
  const thanks = Promise.withResolvers<string>();
  const { code, notes } = await own.kcp(['login', '--browser'], {
    openPage: (url) => {
      const visit = async () => {
        const sent = await choose(await fetch(url), 'operator');
        return (await fetch(sent.headers.get('location')!)).text();
      };
      visit().then(thanks.resolve, thanks.reject);
    },
  });
  assert.equal(code, 0, notes);
  assert.match(await thanks.promise, /You are logged in/);
  assert.match(notes, /Log in with your browser: http/);
  assert.equal(await subject(own), 'operator');
});

test('a browser that brings the answer to another login is turned away', async () => {
  await using own = await machine();
  const answers: number[] = [];
  const { code } = await own.kcp(['login', '--browser'], {
    openPage: (url) => {
      const visit = async () => {
        const sent = await choose(await fetch(url), 'operator');
        const back = new URL(sent.headers.get('location')!);
        const forged = new URL(back);
        forged.searchParams.set('state', 'forged');
        answers.push((await fetch(forged)).status, (await fetch(new URL('/else', back))).status);
        answers.push((await fetch(back)).status);
      };
      void visit();
    },
  });
  assert.equal(code, 0);
  assert.deepEqual(answers, [400, 404, 200]);
});

test('a refusal in the browser is told', async () => {
  await using own = await machine();
  const { code, notes } = await own.kcp(['login', '--browser'], {
    openPage: (url) => {
      const page = new URL(url);
      const back = new URL(page.searchParams.get('redirect_uri')!);
      back.searchParams.set('state', page.searchParams.get('state')!);
      back.searchParams.set('error', 'access_denied');
      void fetch(back);
    },
  });
  assert.equal(code, 3);
  assert.match(notes, /the login failed: access_denied/);
});

test('with a device code: kcp shows it, and waits as long as the issuer says until somebody has decided', async () => {
  await using own = await machine();
  const onNote = (text: string) => {
    const [, userCode] = /type ([A-Z]{4}-[A-Z]{4})/.exec(text) ?? [];
    if (userCode === undefined) return;
    const decide = async () => {
      // Too early first: the issuer says that nobody has decided yet.
      await passed(own, 5);
      const body = JSON.stringify({ user_code: userCode, username: 'orchestrator' });
      const headers = { 'content-type': 'application/json' };
      await fetch(`${issuer}/_device`, { method: 'POST', headers, body });
      await passed(own, 5);
    };
    void decide();
  };
  const { code, notes } = await own.kcp(['login', '--device'], { onNote });
  assert.equal(code, 0, notes);
  assert.equal(await subject(own), 'orchestrator');
});

/** Time goes on for the issuer and for kcp, whose question in between is waited for. */
async function passed({ clock }: Machine, count: number): Promise<void> {
  const asked = () =>
    landscape.requests.filter(({ system, path }) => system === 'issuer' && path.endsWith('/token'))
      .length;
  const before = asked();
  landscape.time.advance(seconds(count));
  while (asked() === before) {
    clock.advance(seconds(count));
    await new Promise(setImmediate);
  }
}

test('tokens are in a file that only its owner may read, and are refreshed when they have expired', async () => {
  await using own = await machine();
  await own.kcp(['login', '-u', 'viewer', '-p', 'viewer-demo-password']);
  const file = own.path('.kcp/tokens.json');
  assert.equal((await stat(file)).mode & 0o777, 0o600);
  const first = (await own.kcp(['token'])).output;
  assert.equal((await own.kcp(['token'])).output, first);
  own.clock.advance(hours(2));
  const second = (await own.kcp(['token'])).output;
  assert.notEqual(second, first);
  assert.equal(await subject(own), 'viewer');
});

test('a login that the issuer does not know any more is told as such, with what to do', async () => {
  await using own = await machine();
  await own.kcp(['login', '-u', 'viewer', '-p', 'viewer-demo-password']);
  const file = own.path('.kcp/tokens.json');
  const content = await readFile(file, 'utf8');
  await writeFile(file, content.replace(/"refreshToken": "[^"]*"/, '"refreshToken": "stolen"'));
  own.clock.advance(hours(2));
  const { code, notes } = await own.kcp(['token']);
  assert.equal(code, 3);
  assert.match(notes, /has ended \(invalid_grant\): log in again with kcp login/);
});

test('after logout nobody is logged in', async () => {
  await using own = await machine();
  await own.kcp(['login', '-u', 'viewer', '-p', 'viewer-demo-password']);
  assert.equal((await own.kcp(['logout'])).code, 0);
  const { code, notes } = await own.kcp(['token']);
  assert.equal(code, 3);
  assert.match(notes, /not logged in at .*: log in with kcp login/);
});

for (const [what, url, complaint] of [
  ['does not answer', 'http://127.0.0.1:9', /does not answer \(.*\): is it running there/],
  ['is no issuer', landscape.url, /does not describe an OIDC issuer: is oidc-issuer-url right/],
  ['is no URL', 'issuer', /oidc-issuer-url is issuer: it must be a URL of http or https/],
] as const)
  test(`an issuer that ${what} is named, with what to do`, async () => {
    await using own = await machine();
    const line = ['login', '--client-credentials', '--oidc-issuer-url', url];
    const { code, notes } = await own.kcp([...line, '--oidc-client-secret', 'canary']);
    assert.notEqual(code, 0);
    assert.match(notes, complaint);
    assert.doesNotMatch(notes, /canary|\n {4}at /);
  });
