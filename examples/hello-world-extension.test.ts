// A step's author proves with checkStep that the step is safe: run twice, killed, and with its service down.
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { test } from 'node:test';
import { checkStep } from '../src/broker/extensions/testing.ts';
import helloWorld from './hello-world-extension.ts';

/** A service of greetings, as simple as the step needs it. */
async function startGreetings() {
  const greetings = new Map<string, string>();
  let isDown = false;
  const server = createServer((request, response) => {
    const name = request.url?.split('/').at(-1) ?? '';
    if (isDown) return response.writeHead(503).end();
    if (request.method === 'DELETE') greetings.delete(name);
    else greetings.set(name, `Hello, ${name}!`);
    const data = greetings.get(name) ?? '';
    return response.end(JSON.stringify({ data, token: `token of ${name}` }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (typeof address !== 'object' || !address) throw new Error('the server has no port');
  return {
    environment: { HELLO_WORLD_URL: `http://127.0.0.1:${address.port}` },
    outside: {
      reset: () => greetings.clear(),
      look: () => Object.fromEntries(greetings),
      setDown: (down: boolean) => (isDown = down),
    },
    greet: (name: string) => greetings.set(name, `Hello, ${name}!`),
    [Symbol.asyncDispose]: () => new Promise<void>((resolve) => server.close(() => resolve())),
  };
}

for (const operation of ['provision', 'upgradeKyma']) {
  test(`${operation}: the runtime is greeted once, whatever happens on the way`, async () => {
    await using greetings = await startGreetings();
    const end = await checkStep({
      extension: helloWorld,
      operation,
      step: 'Hello_World',
      components: ['hello-world'],
      ...greetings,
    });
    assert.deepEqual(end, {
      state: 'succeeded',
      facts: { helloWorld: 'Hello, sample-instance!' },
      overrides: {
        'hello-world': [
          { key: 'greeting.text', value: 'Hello, sample-instance!', secret: false },
          { key: 'greeting.token', value: 'token of sample-instance', secret: true },
        ],
      },
      outside: { 'sample-instance': 'Hello, sample-instance!' },
    });
  });
}

test('deprovision: nothing is left of the greeting', async () => {
  await using greetings = await startGreetings();
  const { outside } = greetings;
  const reset = () => greetings.greet('sample-instance');
  const end = await checkStep({
    extension: helloWorld,
    operation: 'deprovision',
    step: 'Hello_World',
    ...greetings,
    outside: { ...outside, reset },
  });
  assert.deepEqual(end.outside, {});
});
