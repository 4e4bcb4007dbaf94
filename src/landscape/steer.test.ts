import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startLandscape } from './landscape.ts';

test('pages on this machine may turn the switches, and pages from elsewhere may not', async () => {
  await using landscape = await startLandscape({ systems: [] });
  const ask = (method: string, origin: string) =>
    fetch(`${landscape.url}/_faults`, { method, headers: { origin } });
  for (const origin of ['http://127.0.0.1:8080', 'http://localhost', 'http://[::1]:1234']) {
    for (const method of ['OPTIONS', 'DELETE']) {
      const response = await ask(method, origin);
      assert.equal(response.status, 204);
      assert.equal(response.headers.get('access-control-allow-origin'), origin);
    }
    const preflight = await ask('OPTIONS', origin);
    assert.match(preflight.headers.get('access-control-allow-methods') ?? '', /DELETE/);
  }
  for (const origin of ['http://evil.example', 'http://127.0.0.1.evil.example', 'null']) {
    for (const method of ['OPTIONS', 'DELETE', 'GET']) {
      const response = await ask(method, origin);
      assert.equal(response.status, 403, `${method} from ${origin}`);
      assert.equal(response.headers.get('access-control-allow-origin'), null);
    }
  }
});

test('whoever is no page of a browser says nothing of an origin, and may turn the switches', async () => {
  await using landscape = await startLandscape({ systems: [] });
  assert.equal((await fetch(`${landscape.url}/_faults`)).status, 200);
});
