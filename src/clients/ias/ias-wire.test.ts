import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { iasClient } from './ias-client.ts';
import { serviceProviderKinds, serviceProviderName } from './service-provider-kinds.ts';

test('the name goes out as it is, on a connection that is closed afterwards', async () => {
  const seen: object[] = [];
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      seen.push({ ...request.headers, body });
      response.writeHead(201).end();
    });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  const client = iasClient({
    url: `http://127.0.0.1:${port}`,
    userId: 'broker',
    userSecret: 'secret',
    identityProvider: 'https://idp.example.com',
  });
  const name = serviceProviderName(serviceProviderKinds.grafana, '11111111-2222');
  await client.createServiceProvider(name, new AbortController().signal);
  await new Promise((resolve) => server.close(resolve));
  assert.partialDeepStrictEqual(seen, [
    {
      authorization: `Basic ${Buffer.from('broker:secret').toString('base64')}`,
      connection: 'close',
      'content-type': 'application/x-www-form-urlencoded',
      body: 'sp_name=SKR Grafana (instanceID: 11111111-2222)&company_id=global',
    },
  ]);
});
