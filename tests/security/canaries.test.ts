// Credentials that can be told from all others, on every way into the broker and the provisioner, through a life with all its
// failures. Then everything that anybody could read is searched for them.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { pino } from 'pino';
import { basicCredentials, bearerTokens, gate } from '#access';
import { startUpdate } from '#broker';
import { orderOf, planIds, startApi } from '../../src/broker/api/testing.ts';
import {
  base64,
  kubeconfigText,
  token as tokenInKubeconfig,
} from '../../src/broker/plans/testing.ts';
import { startLandscape } from '../../src/landscape/testing.ts';
import { audience, platformToken, post } from '../../src/landscape/issuer/testing.ts';
import { order, startProvisioner } from '../../src/provisioner/testing.ts';
import { kymaLite } from '../provisioner/acceptance/kyma.ts';
import { secretsIn } from '../systems/secrets.ts';
import { listed } from './access-table.ts';

const lines: string[] = [];
const log = pino({ level: 'trace' }, { write: (line: string) => void lines.push(line) });
const basicPassword = 'canary-basic+/password';

const landscape = await startLandscape();
const proofs = gate(
  bearerTokens({ issuer: `${landscape.url}/issuer`, audience }),
  basicCredentials(
    { username: 'cf', password: basicPassword },
    { scopes: ['broker:write'], groups: [] },
  ),
);
const broker = await startApi({
  landscape,
  log,
  withRealSteps: true,
  credential: 'canary-of-systems+/x',
  api: {
    startUpdate,
    authorize: ({ headers }, right) => proofs.admit(headers.authorization, right),
  },
});
const provisioner = await startProvisioner({ landscape, log, gate: proofs });
after(async () => {
  await provisioner[Symbol.asyncDispose]();
  await broker[Symbol.asyncDispose]();
  await landscape[Symbol.asyncDispose]();
});

/** Not ours to choose, but just as secret: tokens, and what kubeconfigs hold. */
const others = new Set<string>();
const remember = (secret: string) => {
  others.add(secret);
  return secret;
};
/** All that anybody was answered, but for the one answer that is there to hand out a credential. */
const answers: string[] = [];

const smCredentials = (n: number) => ({
  clientid: `canary-sm-client-${n}`,
  clientsecret: `canary-sm-secret-${n}+/=`,
  sm_url: 'https://sm.example.com',
  url: 'https://auth.example.com',
  xsappname: 'app',
});
const contextWith = (n: number) => ({
  globalaccount_id: 'ga-canary',
  subaccount_id: `sa-canary-${n}`.replace('canary', 'birds'),
  user_id: 'somebody@example.com',
  sm_operator_credentials: smCredentials(n),
  sm_platform_credentials: {
    url: 'https://sm.example.com',
    credentials: { basic: { username: 'sm', password: `canary-sm-password-${n}` } },
  },
});

const bearer = `Bearer ${remember(await platformToken(landscape))}`;
const basic = `Basic ${remember(Buffer.from(`cf:${basicPassword}`).toString('base64'))}`;
async function call(method: string, path: string, body?: unknown, authorization = bearer) {
  const answer = await broker.call(method, path, { headers: { authorization }, body });
  answers.push(answer.text, JSON.stringify([...answer.headers]));
  return answer;
}

const at = (id: string, more = '') => `/v2/service_instances/${id}${more}`;
const incomplete = '?accepts_incomplete=true';
const ids = `service_id=${orderOf().service_id}&plan_id=${planIds.azure}`;

async function finished(answer: { status: number; text: string; body: object }) {
  assert.equal(answer.status, 202, answer.text);
  const { operation } = answer.body as { operation: string };
  return { operation, ...(await broker.pass(operation)) };
}

/** Reads a stream until the end of the tests. */
async function follow(path: string, authorization: string): Promise<void> {
  const stop = new AbortController();
  after(() => stop.abort());
  const response = await fetch(broker.url + path, {
    headers: { authorization },
    signal: stop.signal,
  });
  assert.equal(response.status, 200, path);
  const reading = (async () => {
    for await (const chunk of response.body!.pipeThrough(new TextDecoderStream()))
      answers.push(chunk);
  })();
  reading.catch(() => {}); // it ends when the tests do
}

async function everythingToken(): Promise<string> {
  const form = { grant_type: 'client_credentials' };
  const { body } = await post(landscape, '/token', form, ['demo', 'demo']);
  return `Bearer ${remember(String(body['access_token']))}`;
}
const operator = await everythingToken();
const streams = listed(broker.app.places).filter(
  ({ path }) => path.endsWith('/stream') && !path.includes(':'),
);
for (const { path } of streams) await follow(path, operator);

const systems = ['edp', 'avs', 'ias', 'reconciler', 'provisioner', 'control-plane', 'gardener'];
/** Each system fails once in every way, and repeats what it was sent. */
function disturb(): void {
  for (const system of systems) {
    const answer = { kind: 'answer', status: 500, body: 'canary-echo', headers: {} } as const;
    for (const action of [answer, { kind: 'reset' }, { kind: 'lost answer' }] as const)
      landscape.faults.add({ system, method: 'POST', count: 1, probability: 1, action });
  }
}

let operations: string[] = [];

test('an instance lives its life with credentials in it', async () => {
  disturb();
  const made = await finished(
    await call('PUT', at('bird', incomplete), orderOf({ context: contextWith(1) })),
  );
  assert.equal(made.state, 'succeeded');
  disturb();
  const updated = await finished(
    await call('PATCH', at('bird', incomplete), {
      service_id: orderOf().service_id,
      context: contextWith(2),
      parameters: { autoScalerMax: 10 },
    }),
  );
  assert.equal(updated.state, 'succeeded');
  const binding = at('bird', '/service_bindings/nest');
  const bound = await finished(
    await call('PUT', `${binding}${incomplete}`, {
      service_id: orderOf().service_id,
      plan_id: planIds.azure,
      parameters: { expiration_seconds: 600 },
    }),
  );
  assert.equal(bound.state, 'succeeded');
  // This is the answer that hands out a credential: it is not searched, but for it everything else is.
  const { text } = await broker.call('GET', binding, { headers: { authorization: basic } });
  const [, token] = /token: (\S{20,}?)(?:\\n|\n)/.exec(text) ?? [];
  remember(token ?? assert.fail('the binding has no token'));
  const unbound = await call('DELETE', `${binding}${incomplete}&${ids}`);
  assert.ok(unbound.status < 300, unbound.text);
  operations = [made.operation, updated.operation, bound.operation];
});

test('an order fails, and says why without them', async () => {
  const refusal = { message: 'no', extensions: { error_code: 400, error_reason: 'err_no' } };
  const body = JSON.stringify({ data: null, errors: [refusal], sent: 'canary-echo' });
  const headers = { 'content-type': 'application/json' };
  const action = { kind: 'answer', status: 200, body, headers } as const;
  const fault = landscape.faults.add({
    system: 'provisioner',
    field: 'provisionRuntime',
    probability: 1,
    action,
  });
  const failed = await finished(
    await call('PUT', at('lost', incomplete), orderOf({ context: contextWith(3) })),
  );
  landscape.faults.remove(fault);
  assert.equal(failed.state, 'failed');
  await call('GET', at('lost', '/last_operation'), undefined, basic);
  operations.push(failed.operation);
});

test("a customer's own kubeconfig stays theirs", async () => {
  remember(tokenInKubeconfig);
  const own = orderOf({
    plan_id: planIds.own_cluster,
    parameters: {
      name: 'own',
      kubeconfig: base64(kubeconfigText()),
      shootName: 'own',
      shootDomain: 'own.example.com',
    },
  });
  const { status, text, body } = await call('PUT', at('own', incomplete), own);
  assert.equal(status, 202, text);
  operations.push(String(body['operation']));
});

test('requests that cannot be understood are not repeated to anybody', async () => {
  const bodies = [
    '{"parameters": {"password": "canary-broken',
    orderOf({
      context: { ...contextWith(4), sm_operator_credentials: { clientid: ['canary-x'] } },
    }),
    orderOf({ context: { ...contextWith(4), sm_operator_credentials: 'canary-text' } }),
    orderOf({
      plan_id: planIds.own_cluster,
      parameters: { name: 'x', kubeconfig: 'canary-no-base64!', shootName: 'x', shootDomain: 'x' },
    }),
  ];
  for (const body of bodies)
    assert.equal((await call('PUT', at('x', incomplete), body)).status, 400);
  for (const wrong of [
    'Bearer canary.bearer.token',
    `Basic ${btoa('cf:canary-wrong-password')}`,
    'Digest canary-digest',
  ])
    assert.equal((await call('GET', '/v2/catalog', undefined, wrong)).status, 401);
});

test('the provisioner gets a runtime with secret values to install', async () => {
  const { id } = await provisioner.provision(order('azure', {}, { kymaConfig: kymaLite }), {
    authorization: operator,
  });
  const { state } = await provisioner.pass(id, ({ finished_stages }) =>
    finished_stages.includes('StartingInstallation'),
  );
  assert.notEqual(state, 'failed');
});

test('everything that operators can read is read', async () => {
  const values: Readonly<Record<string, readonly string[]>> = {
    instanceId: ['bird', 'lost', 'own'],
    operationId: operations,
  };
  const seen: string[] = [];
  for (const { method, path, right } of listed(broker.app.places)) {
    if (method !== 'GET' || path.startsWith('/v2') || path.startsWith('/oauth')) continue;
    if (path.endsWith('/stream') || path.includes('*')) continue;
    const [, name = ''] = /:(\w+)/.exec(path) ?? [];
    for (const value of values[name] ?? ['unknown']) {
      const asked = path.replace(/:\w+/, value);
      const { status } = await call(
        'GET',
        asked,
        undefined,
        right === 'everybody' ? bearer : operator,
      );
      assert.ok(status < 500, `${asked}: ${status}`);
      seen.push(asked);
    }
  }
  for (const id of ['bird', 'lost', 'own']) {
    await call('GET', at(id), undefined, basic);
    await call('GET', at(id, '/last_operation'));
  }
  assert.ok(seen.includes('/metrics') && seen.includes('/audit'), seen.join(' '));
});

test('removals go on without them', async () => {
  disturb();
  const removed = await finished(await call('DELETE', `${at('bird', incomplete)}&${ids}`));
  assert.equal(removed.state, 'succeeded');
});

/** Every row of every table, as text. */
async function dump({ pool }: typeof broker.database): Promise<string[]> {
  const { rows: tables } = await pool.query<{ name: string }>(
    `select format('%I', table_name) as name from information_schema.tables
      where table_schema = current_schema() and table_type = 'BASE TABLE'`,
  );
  const rows = await Promise.all(
    tables.map(async ({ name }) => {
      const found = await pool.query<{ row: string }>(`select each::text as row from ${name} each`);
      return found.rows.map(({ row }) => `${name}: ${row}`);
    }),
  );
  return rows.flat();
}

for (const [what, texts, proof] of [
  ["the broker's database", () => dump(broker.database), /operations: .*bird/],
  ["the provisioner's database", () => dump(provisioner.database), /runtimes: /],
  ['the logs', async () => lines, /"answered"/],
  ['the answers, metrics and streams', async () => answers, /kcp_|bird/],
] as const) {
  test(`no credential is in ${what}`, async () => {
    const all = await texts();
    assert.ok(
      all.some((text) => proof.test(text)),
      'there is something to search',
    );
    const found = secretsIn(all, others);
    const where = all.filter((text) => found.some((secret) => text.includes(secret)));
    assert.deepEqual(
      found,
      [],
      where
        .map((text) => text.slice(0, 2_000))
        .slice(0, 3)
        .join('\n'),
    );
  });
}

test('the search finds a credential in every form', () => {
  const secret = 'canary-of+/forms';
  for (const form of [
    secret,
    btoa(secret),
    btoa(`x${secret}`),
    btoa(`user:${secret}`),
    encodeURIComponent(secret),
    Buffer.from(secret).toString('hex'),
  ])
    assert.notDeepEqual(secretsIn([`before ${form} after`], []), [], form);
});
