import assert from 'node:assert/strict';
import { after, mock, suite, test } from 'node:test';
import { contracts } from './systems/index.ts';
import { endpointFor } from './systems/endpoint.ts';
import { canary, secretsIn, textsOf } from './systems/secrets.ts';
import { disturbancesAt, expectationsAt, unreachable } from './systems/disturbances.ts';
import { callsOf, endsIn, startWorld } from './systems/world.ts';

const page = '<html>canary-page-1</html>';

const printed: string[] = [];
for (const stream of [process.stdout, process.stderr]) {
  const write = stream.write.bind(stream);
  mock.method(stream, 'write', (...given: Parameters<typeof write>) => {
    printed.push(String(given[0]));
    return write(...given);
  });
}

after(() => mock.restoreAll());

for (const contract of contracts) {
  const { calls } = await callsOf(contract);
  suite(`${contract.title} (${contract.section})`, { concurrency: 4 }, () => {
    for (const [name, call] of Object.entries(calls)) {
      test(`${name} asks for what its contract says, and for nothing else`, async () => {
        await using world = await startWorld(contract, name);
        await endsIn(world, 'the call', contract, 'done');
        const asked = new Set(world.asked());
        if (contract.token) assert.ok(asked.delete(contract.token), 'it asked for no token');
        assert.deepEqual([...asked].toSorted(), call.endpoints.toSorted());
      });

      test(`${name} takes each answer, and none, for what it means`, async () => {
        for (const endpoint of call.endpoints) {
          const { succeed = [], fail = [] } = Object.groupBy(
            disturbancesAt(contract, call, endpoint),
            ({ expected }) => (typeof expected === 'string' ? 'succeed' : 'fail'),
          );
          // What fails has changed nothing that a repetition would not do anyway: it goes on in the same world.
          for (const inOneWorld of [fail, ...succeed.map((each) => [each])]) {
            await using world = await startWorld(contract, name);
            for (const { what, action, expected } of inOneWorld) {
              const before = world.asked().length;
              world.disturb(endpoint, action);
              await endsIn(world, `${what} of ${endpoint}`, contract, expected);
              assert.ok(
                world.asked().slice(before).includes(endpoint),
                `${endpoint} was not asked`,
              );
              world.landscape.faults.remove();
            }
          }
        }
      });

      test(`${name} ends at its time limit, and for the reason of its signal`, async () => {
        for (const endpoint of call.endpoints) {
          await using hasty = await startWorld(contract, name, { limits: { timeout: 30 } });
          hasty.disturb(endpoint, { kind: 'delay', for: 60_000 });
          await endsIn(hasty, `no answer of ${endpoint}`, contract, unreachable);

          await using world = await startWorld(contract, name);
          world.disturb(endpoint, { kind: 'delay', for: 60_000 });
          const abort = new AbortController();
          const reason = new Error('canceled');
          const ended = assert.rejects(world.call(abort.signal), (error) => error === reason);
          await Promise.race([world.untilAskedAt(endpoint), ended]);
          abort.abort(reason);
          await ended;
          world.showsNoSecret('a canceled call');
          const before = world.asked().length;
          await assert.rejects(world.call(AbortSignal.abort(reason)), (error) => error === reason);
          assert.equal(world.asked().length, before, 'it asked although it was canceled before');
        }
      });

      test(`${name} may be repeated after a lost answer, or the contract says what happens`, async () => {
        await using undisturbed = await startWorld(contract, name);
        await endsIn(undisturbed, 'the call', contract, 'done');
        const expected = undisturbed.inventory();
        for (const endpoint of call.endpoints) {
          await using world = await startWorld(contract, name);
          const { repeated } = expectationsAt(contract, call, endpoint);
          world.disturb(endpoint, { kind: 'lost answer' }, 1);
          await endsIn(world, `a lost answer of ${endpoint}`, contract, unreachable);
          const outcome = typeof repeated === 'string' ? 'done' : repeated;
          await endsIn(world, `the call after ${endpoint} was lost`, contract, outcome);
          const found = world.inventory();
          if (repeated === 'second') assert.notEqual(found, expected, 'there is no second one');
          else assert.equal(found, expected, `the landscape after ${endpoint} was lost`);
        }
      });

      const { missing } = call;
      if (missing === undefined) continue;
      test(`${name} knows what to do where there is nothing`, async () => {
        await using world = await startWorld(contract, name, { prepared: false });
        await endsIn(world, 'the call', contract, missing);
      });
    }

    const { token } = contract;
    const [name] = Object.keys(calls);
    if (token === undefined || name === undefined) return;
    test('without a token nothing is asked for', async () => {
      const { temporary = false } = contract.tokenRefused ?? {};
      for (const [what, action, expected] of [
        ['a refusal', { kind: 'answer', status: 401, body: page }, { temporary, status: 401 }],
        [
          'a failure',
          { kind: 'answer', status: 500, body: page },
          { temporary: true, status: 500 },
        ],
        ['a web page', { kind: 'answer', status: 200, body: page }, { temporary: true }],
        ['a broken connection', { kind: 'reset' }, unreachable],
      ] as const) {
        await using world = await startWorld(contract, name);
        world.disturb(token, action);
        await endsIn(world, `${what} instead of a token`, contract, expected);
        assert.deepEqual([...new Set(world.asked())], [token]);
      }
    });
  });
}

test('in all this nothing was printed that shows a secret', () => {
  assert.deepEqual(secretsIn(printed, []), []);
});

// What follows makes sure that the rules would find what they are there to find.

for (const [where, error] of [
  ['a message', new Error(canary('edp', 1))],
  ['a cause', new Error('no', { cause: new Error(canary('edp', 1)) })],
  ['a hidden field', Object.defineProperty(new Error('no'), 'body', { value: canary('edp', 1) })],
  ['Basic authentication', new Error(Buffer.from(`user:${canary('edp', 1)}`).toString('base64'))],
  ['a token', new Error(`Bearer abcd-efgh`)],
] as const) {
  test(`a secret in ${where} is found`, () => {
    assert.notEqual(secretsIn(textsOf(error), ['abcd-efgh']).length, 0);
  });
}

test('a request belongs to the endpoint that leaves least open', () => {
  const endpoints = [
    'PUT /sps/{id}',
    'PUT /sps/delete',
    'POST /graphql runtime',
    'GET /sps/{id}/a',
    'GET /{region}/?Action=List',
  ];
  const find = (method: string, path: string, fields: string[] = []) =>
    endpointFor({ method, path, fields }, endpoints);
  assert.equal(find('PUT', '/sps/delete?sp_id=1'), 'PUT /sps/delete');
  assert.equal(find('PUT', '/sps/1'), 'PUT /sps/{id}');
  assert.equal(find('GET', '/sps/1/a?b'), 'GET /sps/{id}/a');
  assert.equal(find('POST', '/graphql', ['runtime']), 'POST /graphql runtime');
  assert.equal(find('POST', '/graphql', ['runtimes']), undefined);
  assert.equal(find('GET', '/eu/?Action=List&Version=1'), 'GET /{region}/?Action=List');
  assert.equal(find('GET', '/eu/?Action=Lists'), undefined);
  assert.equal(find('PUT', '/sps/1/2'), undefined);
  assert.equal(find('GET', '/sps/1'), undefined);
});
