import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { test } from 'node:test';
import { loadExtensions } from '#broker';
import { beginUpgrade, removed } from '../../src/broker/operations/testing.ts';
import { runsOf } from '../../src/broker/steps/testing.ts';
import { startBroker } from '../../src/broker/testing.ts';

const path = './examples/hello-world-extension.ts';

/** Counts what it was asked for, and has the greetings that were not taken back. */
async function startGreetings() {
  const greetings = new Set<string>();
  const asked: string[] = [];
  const server = createServer(({ method = '', url = '' }, response) => {
    asked.push(method);
    if (method === 'PUT') greetings.add(url);
    else greetings.delete(url);
    response.end(JSON.stringify({ data: 'Hello!', token: 'token' }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (typeof address !== 'object' || !address) throw new Error('the server has no port');
  return {
    greetings,
    asked,
    url: `http://127.0.0.1:${address.port}`,
    [Symbol.asyncDispose]: () => new Promise<void>((resolve) => server.close(() => resolve())),
  };
}

test('the steps of an extension run in the operations that it names, and leave nothing behind', async () => {
  await using outside = await startGreetings();
  await using world = await startBroker({
    async extend(definitions, services) {
      await loadExtensions(services, definitions, {
        paths: [path],
        directory: process.cwd(),
        environment: { HELLO_WORLD_URL: outside.url },
      });
    },
  });
  const order = await world.order('azure');
  const { state, facts } = await world.pass(order.operationId);
  assert.deepEqual([state, facts['helloWorld']], ['succeeded', 'Hello!']);
  assert.deepEqual(await runsOf(world, order, 'Hello_World'), ['done']);
  assert.deepEqual([...outside.greetings], [`/greetings/${order.instanceId}`]);

  const upgrade = await beginUpgrade(world, 'upgradeKyma', order.instanceId);
  assert.equal((await world.pass(upgrade)).facts['helloWorld'], 'Hello!');

  const { ended, lineOf } = await removed(world, order.instanceId);
  assert.equal(ended.description, 'succeeded');
  assert.equal(lineOf('Hello_World').outcome, 'done');
  assert.deepEqual([...outside.greetings], []);
  assert.deepEqual(outside.asked, ['PUT', 'PUT', 'DELETE']);
});
