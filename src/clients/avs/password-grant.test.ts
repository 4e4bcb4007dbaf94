import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { passwordGrant } from './password-grant.ts';

const { signal } = new AbortController();

/** A token endpoint that gives this answer and remembers what it was asked. */
async function tokenEndpoint(answer: object) {
  const asked: { headers: IncomingHttpHeaders; body: string }[] = [];
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      asked.push({ headers: request.headers, body });
      response.setHeader('content-type', 'application/json').end(JSON.stringify(answer));
    });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  const grant = passwordGrant('avs', {
    tokenUrl: `http://127.0.0.1:${port}/oauth/token`,
    clientId: 'kyma:keb',
    username: 'a user',
    password: 'p&ss=word',
  });
  return {
    asked,
    header: async () => (await grant.header(signal))['authorization'],
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

test('the client names itself without a secret, and brings the name and password of a user', async () => {
  await using endpoint = await tokenEndpoint({ access_token: 't' });
  await endpoint.header();
  const [request] = endpoint.asked;
  assert.equal(
    request?.headers.authorization,
    `Basic ${Buffer.from('kyma%3Akeb:').toString('base64')}`,
  );
  assert.equal(request.headers['content-type'], 'application/x-www-form-urlencoded');
  assert.equal(request.body, 'grant_type=password&username=a+user&password=p%26ss%3Dword');
});

for (const [type, header] of [
  [undefined, 'Bearer t'],
  ['bearer', 'Bearer t'],
  ['BEARER', 'Bearer t'],
  ['mac', 'mac t'],
] as const) {
  test(`a token of type ${type ?? 'unknown'} is sent as '${header}'`, async () => {
    await using endpoint = await tokenEndpoint({ access_token: 't', token_type: type });
    assert.equal(await endpoint.header(), header);
  });
}
