import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { startApi } from '../api/testing.ts';
import { isDescribed, withBraces } from './openapi.ts';

let world: Awaited<ReturnType<typeof startApi>>;
type Described = {
  summary: string;
  operationId: string;
  parameters: { name: string; in: string }[];
  requestBody?: { content: Record<string, { schema: { properties: object } }> };
  security: object[];
};
let document: { openapi: string; paths: Record<string, Record<string, Described>> };
before(async () => {
  world = await startApi();
  document = JSON.parse((await world.call('GET', '/openapi.json')).text) as typeof document;
});
after(() => world[Symbol.asyncDispose]());

test('everything that is served is described, with what it is for and who may', () => {
  assert.equal(document.openapi, '3.1.0');
  const served = world.app.places.filter(isDescribed);
  assert.ok(served.length > 60);
  for (const { method, path, right } of served) {
    const found = document.paths[withBraces(path)]?.[method.toLowerCase()];
    assert.ok(found && found.summary !== '', `${method} ${path}`);
    assert.equal(found.security.length === 0, right === 'everybody', `${method} ${path}`);
    for (const [, name] of path.matchAll(/:(\w+)/g))
      assert.ok(found.parameters.some((each) => each.in === 'path' && each.name === name));
  }
});

test('nothing is described that is not served, and no two have the same name', () => {
  const served = new Set(
    world.app.places.map(({ method, path }) => `${method.toLowerCase()} ${withBraces(path)}`),
  );
  const names = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { operationId }]) => {
      assert.ok(served.has(`${method} ${path}`), `${method} ${path}`);
      return operationId;
    }),
  );
  assert.equal(new Set(names).size, names.length);
});

test('what a request may say is described as it is checked', () => {
  const { parameters = [] } = document.paths['/runtimes']?.['get'] ?? {};
  const names = parameters.map(({ name }) => name);
  for (const name of ['account', 'state', 'page_size', 'cursor', 'sort'])
    assert.ok(names.includes(name), name);
  const skip = document.paths['/operations/{operationId}/skip']?.['post'];
  const schema = skip?.requestBody?.content['application/json']?.schema;
  assert.deepEqual(Object.keys(schema?.properties ?? {}), ['step', 'because', 'dryRun']);
});

test('people find the description as a page with its scripts and styles', async () => {
  const page = await world.call('GET', '/swagger');
  assert.equal(page.status, 200);
  for (const [, path = ''] of page.text.matchAll(/(?:src|href)="([^"]+)"/g)) {
    const { status, text } = await world.call('GET', path);
    assert.equal(status, 200, path);
    assert.ok(text.length > 100, path);
  }
});
