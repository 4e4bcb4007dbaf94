import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { fastify } from 'fastify';
import { servePage } from './page.ts';
import { sdl } from './serve.ts';

async function pageWith(schema: string) {
  const app = fastify();
  servePage(app, { path: '/graphql', sdl: schema });
  const { headers, body } = await app.inject({ url: '/' });
  return {
    policy: String(headers['content-security-policy']),
    type: headers['content-type'],
    body,
  };
}

test('the page shows the schema, and needs nothing from elsewhere', async () => {
  const { type, body } = await pageWith(sdl);
  assert.equal(type, 'text/html; charset=utf-8');
  assert.ok(body.includes('provisionRuntime(config: ProvisionRuntimeInput!): OperationStatus'));
  assert.doesNotMatch(body, /(?:src|href|action)=|@import|url\(/);
});

test('its policy allows its own script and style, and no other', async () => {
  const { policy, body } = await pageWith(sdl);
  const allowed = Object.fromEntries(
    policy.split('; ').map((part) => [part.split(' ', 1)[0], part.split(' ').slice(1)]),
  );
  for (const tag of ['script', 'style']) {
    const contents = [...body.matchAll(new RegExp(`<${tag}>([^]*?)</${tag}>`, 'g'))];
    const hashes = contents.map(
      ([, content = '']) => `'sha256-${createHash('sha256').update(content).digest('base64')}'`,
    );
    assert.equal(hashes.length, 1);
    assert.deepEqual(allowed[`${tag}-src`], hashes);
  }
  assert.deepEqual(allowed['default-src'], ["'none'"]);
  assert.deepEqual(allowed['connect-src'], ["'self'"]);
  assert.deepEqual(allowed['frame-ancestors'], ["'none'"]);
  assert.doesNotMatch(body, / on[a-z]+=| style=/);
});

test('a schema cannot break out of its place on the page', async () => {
  const { body } = await pageWith('"</pre><script>alert(1)</script>" scalar Labels');
  assert.ok(body.includes('&lt;/pre&gt;&lt;script&gt;alert(1)&lt;/script&gt;'));
});
