import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bearerTokens, gate } from '#access';
import { audience, post } from '../../landscape/issuer/testing.ts';
import { startLandscape } from '../../landscape/testing.ts';
import { startProvisioner } from '../testing.ts';

const places = [
  ['POST', '/graphql'],
  ['GET', '/graphql?query={__typename}'],
  ['GET', '/operations/00000000-0000-4000-8000-000000000000/events'],
  ['GET', '/nowhere'],
] as const;

test('every place asks for a token with the scope, but for those that everybody may see', async () => {
  await using landscape = await startLandscape();
  await using world = await startProvisioner({
    landscape,
    gate: gate(bearerTokens({ issuer: `${landscape.url}/issuer`, audience })),
  });
  const tokenOf = async (client: string, secret: string) =>
    String(
      (await post(landscape, '/token', { grant_type: 'client_credentials' }, [client, secret]))
        .body['access_token'],
    );
  const ask = async (method: string, path: string, token?: string) => {
    const response = await fetch(world.url + path, {
      method,
      headers: {
        tenant: 'ga-1',
        ...(token && { authorization: `Bearer ${token}` }),
        ...(method === 'POST' && { 'content-type': 'application/json' }),
      },
      ...(method === 'POST' && { body: '{"query":"{ __typename }"}' }),
    });
    const challenge = response.headers.get('www-authenticate');
    return { status: response.status, challenge, text: await response.text() };
  };
  const reader = await tokenOf('reader', 'reader-demo-secret');
  const broker = await tokenOf('broker', 'broker-demo-secret');
  for (const [method, path] of places) {
    const unknown = await ask(method, path);
    assert.deepEqual([unknown.status, unknown.challenge], [401, 'Bearer'], path);
    assert.match(unknown.text, /"error_code":401/);
    assert.equal((await ask(method, path, 'nonsense')).status, 401, path);
    assert.equal((await ask(method, path, reader)).status, 403, path);
    assert.ok(![401, 403].includes((await ask(method, path, broker)).status), path);
  }
  for (const path of ['/', '/healthz', '/readyz', '/metrics'])
    assert.equal((await ask('GET', path)).status, 200, path);
});
