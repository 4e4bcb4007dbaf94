// From order to removal, step by step, against a running product or one of its own: node bin/demo.ts, or npm run demo.
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { BadSettings, readSettings, StartConfig } from '#config';
import { inWords } from './wiring/run-service.ts';
import { directoriesOf, startAll, type Addresses } from './wiring/start-all.ts';

const serviceId = '47c9dcbf-ff30-448e-ab36-d3bad66ba281';
const azure = '4deee563-e5ec-4731-b9b1-53b42d855f0c';
const started = performance.now();

/** It went otherwise than it should. */
class Unexpected extends Error {}

async function withOwnProduct(config: StartConfig): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'kyma-demo-'));
  const stop = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort());
  const ready = Promise.withResolvers<Addresses>();
  const { database } = await directoriesOf(config);
  // On ports, and with a landscape, of its own: it starts empty, and nobody else is disturbed.
  const own = {
    ...config,
    BROKER_PORT: 0,
    PROVISIONER_PORT: 0,
    LANDSCAPE_PORT: 0,
  };
  const product = startAll(own, { database, demo: folder }, stop.signal, ready.resolve);
  try {
    const addresses = await Promise.race([ready.promise, product]);
    if (addresses) await demonstrate(addresses);
  } finally {
    stop.abort();
    await product;
    await rm(folder, { recursive: true, force: true });
  }
}

async function demonstrate({ broker, landscape }: Addresses): Promise<void> {
  const before = await whatExists(landscape);
  const call = await platform(broker, landscape);
  const id = randomUUID();
  const path = `/service_instances/${id}`;
  const ids = `service_id=${serviceId}&plan_id=${azure}`;

  say(`ordering a runtime, ${id}`);
  const order = await call('PUT', `${path}?accepts_incomplete=true`, {
    service_id: serviceId,
    plan_id: azure,
    context: {
      globalaccount_id: `ga-${id}`,
      subaccount_id: `sa-${id}`,
      user_id: 'demo@example.com',
    },
    parameters: { name: 'demo', region: 'westeurope' },
  });
  await follow(call, path, order);
  const { dashboard_url: dashboard } = await call('GET', path);
  say(`the runtime is there: ${String(dashboard)}`);
  const shoots = await countOf(landscape, 'gardener', 'shoots.core.gardener.cloud');
  say(`Gardener has ${shoots} cluster${shoots === 1 ? '' : 's'}`);

  say('letting it grow to ten machines');
  const update = await call('PATCH', `${path}?accepts_incomplete=true`, {
    service_id: serviceId,
    parameters: { autoScalerMax: 10 },
  });
  await follow(call, path, update);

  const binding = `${path}/service_bindings/${randomUUID()}`;
  say('asking for a kubeconfig that expires');
  const bind = await call('PUT', `${binding}?accepts_incomplete=true`, {
    service_id: serviceId,
    plan_id: azure,
    parameters: { expiration_seconds: 600 },
  });
  await follow(call, binding, bind);
  const { credentials, metadata } = await call('GET', binding);
  if (!/^kind: Config$/m.test(kubeconfigIn(credentials)))
    throw new Unexpected('the binding holds no kubeconfig');
  say(`here it is: ${JSON.stringify(metadata)}`);

  say('upgrading Kyma, as an operator');
  const upgrade = await call('POST', `${broker}/upgrade/kyma/${id}`, {});
  await follow(call, path, upgrade);

  say('deprovisioning it');
  await follow(call, path, await call('DELETE', `${path}?accepts_incomplete=true&${ids}`));
  const left = Object.entries(await whatExists(landscape)).filter(
    ([kind, things]) => !isDeepStrictEqual(things, before[kind]),
  );
  if (left.length > 0)
    throw new Unexpected(`something was left behind: ${JSON.stringify(Object.fromEntries(left))}`);
  say('nothing is left behind');
}

const kubeconfigIn = (credentials: unknown): string =>
  (credentials as { readonly kubeconfig?: string } | undefined)?.kubeconfig ?? ''; // as the broker gives it

type Call = (method: string, path: string, body?: object) => Promise<Record<string, unknown>>;

/** Calls the broker as a platform does. */
async function platform(broker: string, landscape: string): Promise<Call> {
  const response = await fetch(`${landscape}/oauth2/token`, {
    method: 'POST',
    headers: { authorization: `Basic ${Buffer.from('demo:demo').toString('base64')}` },
    body: new URLSearchParams({ grant_type: 'client_credentials' }),
  });
  const { access_token: token } = (await response.json()) as { access_token: string }; // as the issuer answers
  return async (method, path, body) => {
    const url = path.startsWith('http') ? path : `${broker}/oauth/cf-eu20/v2${path}`;
    const answer = await fetch(url, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        'x-broker-api-version': '2.17',
        ...(body && { 'content-type': 'application/json' }),
      },
      ...(body && { body: JSON.stringify(body) }),
    });
    const content = (await answer.json()) as Record<string, unknown>; // as the specification says
    if (answer.status === 410) return { state: 'succeeded', description: 'gone' };
    if (!answer.ok)
      throw new Unexpected(`${method} ${path}: ${answer.status} ${JSON.stringify(content)}`);
    return content;
  };
}

/** Tells what the operation does, whenever that is something else than before. */
async function follow(
  call: Call,
  path: string,
  { operation }: Record<string, unknown>,
): Promise<void> {
  const query = typeof operation === 'string' ? `?operation=${operation}` : '';
  let told = '';
  for (;;) {
    const { state, description } = await call('GET', `${path}/last_operation${query}`);
    if (description !== told) say(`  ${String(state)}: ${String(description)}`);
    told = String(description);
    if (state === 'succeeded') return;
    if (state !== 'in progress') throw new Unexpected(`the operation ended as ${String(state)}`);
    await sleep(200);
  }
}

/** The things that runtimes leave out there, by kind. */
const kinds = [
  ['gardener', 'shoots.core.gardener.cloud'],
  ['gardener', 'runtimes'],
  ['director', 'runtimes'],
  ['avs', 'evaluations'],
  ['edp', 'dataTenants'],
  ['reconciler', 'clusters'],
  ['control-plane', 'kymas.operator.kyma-project.io'],
  ['control-plane', 'secrets'],
] as const;

async function whatExists(landscape: string): Promise<Record<string, unknown>> {
  const all = (await (await fetch(`${landscape}/_inventory`)).json()) as Inventory;
  return Object.fromEntries(
    kinds.map(([system, kind]) => [`${system} ${kind}`, all[system]?.[kind] ?? []]),
  );
}
type Inventory = Record<string, Record<string, unknown[]>>;

async function countOf(landscape: string, system: string, kind: string): Promise<number> {
  const all = (await (await fetch(`${landscape}/_inventory`)).json()) as Inventory;
  return all[system]?.[kind]?.length ?? 0;
}

function say(text: string): void {
  console.log(`${((performance.now() - started) / 1000).toFixed(1).padStart(6)} s  ${text}`);
}

const addressesOf = (config: StartConfig): Addresses => ({
  broker: `http://127.0.0.1:${config.BROKER_PORT}`,
  provisioner: `http://127.0.0.1:${config.PROVISIONER_PORT}`,
  landscape: `http://127.0.0.1:${config.LANDSCAPE_PORT}`,
});

async function answers(url: string): Promise<boolean> {
  try {
    return (await fetch(`${url}/healthz`)).ok;
  } catch {
    return false; // nobody listens there
  }
}

try {
  const config = readSettings(StartConfig, process.env);
  const running = addressesOf(config);
  if (await answers(running.broker)) {
    console.log(`using the product that runs at ${running.broker}`);
    await demonstrate(running);
  } else {
    await withOwnProduct(config);
  }
} catch (error) {
  const message = error instanceof Unexpected ? error.message : inWords(error);
  if (message === undefined) throw error;
  console.error(message);
  process.exitCode = error instanceof BadSettings ? 2 : 1;
}
