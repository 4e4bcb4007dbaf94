// For tests: a landscape that is started again from its file, and what is sent to it.
import assert from 'node:assert/strict';
import { mkdtempDisposableSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startLandscape, type Landscape, type LandscapeOptions } from './landscape.ts';

export type Json = Readonly<Record<string, unknown>>;

/** A landscape in a file of its own, that ends and is started again. */
export async function startKept(options: LandscapeOptions = {}) {
  const folder = mkdtempDisposableSync(join(tmpdir(), 'landscape-'));
  const stateFile = join(folder.path, 'state');
  let landscape = await startLandscape({ ...options, stateFile });
  return {
    stateFile,
    get landscape(): Landscape {
      return landscape;
    },
    async restart(): Promise<void> {
      const port = Number(new URL(landscape.url).port);
      await landscape[Symbol.asyncDispose]();
      landscape = await startLandscape({ ...options, port, stateFile });
    },
    call: (system: string, method: string, path: string, body?: unknown, more: Json = {}) =>
      call(`${landscape.url}/${system}`, method, path, body, more),
    async [Symbol.asyncDispose]() {
      await landscape[Symbol.asyncDispose]();
      folder[Symbol.dispose]();
    },
  };
}
export type Kept = Awaited<ReturnType<typeof startKept>>;

/** JSON, or a form. The answer must be one of success. */
async function call(url: string, method: string, path: string, body: unknown, headers: Json) {
  const isForm = body instanceof URLSearchParams;
  const response = await fetch(url + path, {
    method,
    headers: {
      'user-agent': 'orders/1.0',
      connection: 'close', // so that none is left over to the landscape that has ended
      ...(body !== undefined && !isForm && { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body !== undefined && { body: isForm ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  assert.ok(response.ok, `${method} ${path}: ${response.status} ${text}`);
  return (text.startsWith('{') ? JSON.parse(text) : {}) as Json;
}

export const basic = (user: string, password: string) => ({
  authorization: `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`,
});
export const bearer = (token: unknown) => ({ authorization: `Bearer ${String(token)}` });

export async function tokenOf(kept: Kept, system: string, path: string, form = {}) {
  const client = { grant_type: 'client_credentials', client_id: 'me', client_secret: 'x', ...form };
  const asked = new URLSearchParams(client);
  return bearer((await kept.call(system, 'POST', path, asked))['access_token']);
}

export const gardenToken = bearer('token-of-the-kyma-project');
export const shoots = '/apis/core.gardener.cloud/v1beta1/namespaces/garden-kyma/shoots';
export const shoot = (name: string) => ({
  apiVersion: 'core.gardener.cloud/v1beta1',
  kind: 'Shoot',
  metadata: { name },
  spec: { secretBindingName: 'azure-pool-001', provider: { type: 'azure' } },
});

export const provisionRuntime = `mutation {
  provisionRuntime(config: {
    runtimeInput: { name: "runtime", labels: { a: "b" } }
    clusterConfig: { gardenerConfig: {
      name: "c-1", kubernetesVersion: "1.26.0", machineType: "m", region: "r", provider: "azure"
      targetSecret: "s", workerCidr: "10.0.0.0/16", autoScalerMin: 1, autoScalerMax: 2
      maxSurge: 1, maxUnavailable: 0
      providerSpecificConfig: { azureConfig: { vnetCidr: "10.0.0.0/16" } }
    } }
  }) { id }
}`;

export const login = (kept: Kept) =>
  kept.call(
    'issuer',
    'POST',
    '/token',
    new URLSearchParams({
      grant_type: 'password',
      client_id: 'kcp',
      username: 'admin',
      password: 'admin-demo-password',
    }),
  );
