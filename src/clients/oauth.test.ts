import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { passwordGrant } from './avs/password-grant.ts';
import { clientCredentials } from './oauth.ts';
import { SystemError } from './system-error.ts';

const { signal } = new AbortController();

/** A token endpoint that hears everything, and answers nobody unless told. */
async function tokenEndpoint(answer?: object) {
  const asked: IncomingHttpHeaders[] = [];
  const server = createServer(({ headers }, response) => {
    asked.push(headers);
    if (answer) response.setHeader('content-type', 'application/json').end(JSON.stringify(answer));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    asked,
    tokenUrl: `http://127.0.0.1:${port}/token`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const limits = { caller: 'broker', breakAfter: 1 };
for (const [what, authenticate] of [
  [
    'client credentials',
    (tokenUrl: string, timeout?: number) =>
      clientCredentials('edp', {
        ...limits,
        ...(timeout && { timeout }),
        tokenUrl,
        clientId: 'id',
        clientSecret: 'secret',
      }),
  ],
  [
    'a password',
    (tokenUrl: string, timeout?: number) =>
      passwordGrant('avs', {
        ...limits,
        ...(timeout && { timeout }),
        tokenUrl,
        clientId: 'id',
        username: 'u',
        password: 'p',
      }),
  ],
] as const) {
  test(`whoever asks for a token with ${what} says its name`, async () => {
    await using endpoint = await tokenEndpoint({ access_token: 't' });
    assert.deepEqual(await authenticate(endpoint.tokenUrl).header(signal), {
      authorization: 'Bearer t',
    });
    assert.equal(endpoint.asked[0]?.['user-agent'], 'broker');
  });

  test(`a request for a token with ${what} ends in time, and is not made again while nobody answers`, async () => {
    await using endpoint = await tokenEndpoint();
    const { header } = authenticate(endpoint.tokenUrl, 100);
    const failsFor = (reason: string) => (error: unknown) =>
      error instanceof SystemError && error.temporary && error.reason === reason;
    await assert.rejects(header(signal), failsFor('unreachable'));
    await assert.rejects(header(signal), failsFor('left_alone'));
    assert.ok(endpoint.asked.length <= 1);
  });
}
