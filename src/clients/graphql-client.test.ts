import assert from 'node:assert/strict';
import type { IncomingHttpHeaders } from 'node:http';
import { test } from 'node:test';
import { inspect } from 'node:util';
import { z } from 'zod';
import { seconds } from '#time';
import { startLandscape, type Landscape } from '../landscape/testing.ts';
import {
  graphqlClient,
  GraphqlError,
  type ClassifyGraphql,
  type GraphqlRequest,
} from './graphql-client.ts';
import { graphql } from './graphql-document.ts';
import type { SystemSettings } from './http-client.ts';
import { failuresOf } from './testing.ts';

const { signal } = new AbortController();
const Runtime = z.object({ id: z.string() }).nullable();
const request = {
  what: 'get the runtime',
  document: graphql`query { result: runtime(id: ${'R'}) { id } }`,
  result: Runtime,
  signal,
} satisfies GraphqlRequest<unknown>;

/** As the Runtime Provisioner's errors are read. */
const classify: ClassifyGraphql = ({ error_code = 0, error_reason, error_component }) => ({
  temporary: error_reason !== 'err_db_not_found' && !(error_code >= 400 && error_code < 500),
  reason: error_reason ?? 'none',
  component: error_component,
});

const clientOf = ({ url }: Landscape, more: Partial<SystemSettings> = {}) =>
  graphqlClient('graph', { url: `${url}/graph/graphql`, ...more }, classify);

/** A system that answers always the same, and shows what it was asked. */
async function startGraph(status: number, answer: unknown, headers: Record<string, string> = {}) {
  const asked: { headers: IncomingHttpHeaders; body: unknown }[] = [];
  const landscape = await startLandscape({
    systems: [
      () => ({
        name: 'graph',
        inventory: () => ({}),
        serve(app) {
          app.post('/graphql', async ({ headers: sent, body }, reply) => {
            asked.push({ headers: sent, body });
            const text = typeof answer === 'string' ? answer : JSON.stringify(answer);
            return reply.code(status).headers(headers).send(text);
          });
        },
      }),
    ],
  });
  return { ...landscape, asked };
}

const failsWith = failuresOf('graph', 'canary');
const errors = (...all: { message: string; extensions?: object }[]) => ({
  errors: all,
  data: null,
});

test('the document is posted with its arguments in the text and without variables', async () => {
  await using graph = await startGraph(200, { data: { result: { id: 'R' } } });
  const answer = await clientOf(graph).request({ ...request, headers: { tenant: 'ga-1' } });
  assert.deepEqual(answer, { id: 'R' });
  assert.partialDeepStrictEqual(graph.asked, [
    {
      headers: {
        'content-type': 'application/json; charset=utf-8',
        accept: 'application/json; charset=utf-8',
        tenant: 'ga-1',
      },
      body: { query: 'query { result: runtime(id: "R") { id } }', variables: null },
    },
  ]);
});

for (const status of [200, 404, 500]) {
  test(`a result counts whatever the status, here ${status}`, async () => {
    await using graph = await startGraph(status, { data: { result: { id: 'R' } }, errors: [] });
    assert.deepEqual(await clientOf(graph).request(request), { id: 'R' });
  });

  test(`errors count whatever the status, here ${status}: the first one alone, by its extensions`, async () => {
    const extensions = {
      error_code: 400,
      error_reason: 'err_provisioner_internal',
      error_component: 'provisioner',
    };
    await using graph = await startGraph(
      status,
      errors({ message: 'busy', extensions }, { message: 'second' }),
    );
    await assert.rejects(clientOf(graph).request(request), (error) => {
      assert.ok(error instanceof GraphqlError);
      assert.equal(error.message, 'graph: cannot get the runtime: graphql: busy');
      return failsWith({
        temporary: false,
        reason: 'err_provisioner_internal',
        component: 'provisioner',
        code: 400,
        status,
      })(error);
    });
  });
}

for (const [sentence, extensions, expected] of [
  ['code 499 is permanent', { error_code: 499 }, { temporary: false, code: 499 }],
  ['code 500 is temporary', { error_code: 500 }, { temporary: true, code: 500 }],
  [
    'a reason can outweigh a code',
    { error_code: 2, error_reason: 'err_db_not_found' },
    { temporary: false, reason: 'err_db_not_found', code: 2 },
  ],
  ['a code that is no number is none', { error_code: '400' }, { temporary: true, code: undefined }],
  ['no extensions at all are no code', undefined, { temporary: true, code: undefined }],
] as const) {
  test(`the system's own rule reads the extensions: ${sentence}`, async () => {
    await using graph = await startGraph(
      200,
      errors({ message: 'no', ...(extensions && { extensions }) }),
    );
    await assert.rejects(clientOf(graph).request(request), failsWith(expected));
  });
}

test('null is a result where the shape allows it, and otherwise a wrong answer that names the field', async () => {
  await using graph = await startGraph(200, { data: { result: null } });
  assert.equal(await clientOf(graph).request(request), null);
  await assert.rejects(
    clientOf(graph).request({ ...request, result: z.object({ id: z.string() }) }),
    (error: Error) =>
      /not as expected: data\.result: /.test(error.message) &&
      failsWith({ temporary: true, reason: 'wrong_answer' })(error),
  );
});

for (const [sentence, answer, field] of [
  ['without data', {}, 'data'],
  ['with data that are null', { data: null }, 'data'],
  ['without a result', { data: {} }, 'data\\.result'],
  ['with a member of another type', { data: { result: { id: 1 } } }, 'data\\.result\\.id'],
] as const) {
  test(`an answer ${sentence} is never taken for null: ${field} is named`, async () => {
    await using graph = await startGraph(200, answer);
    await assert.rejects(
      clientOf(graph).request(request),
      (error: Error) =>
        new RegExp(`not as expected: ${field}: `).test(error.message) &&
        failsWith({ temporary: true, reason: 'wrong_answer' })(error),
    );
  });
}

for (const [status, answer] of [
  [403, 'RBAC: access denied'],
  [404, '<html>no such page</html>'],
  [502, '<html>bad gateway</html>'],
  [401, { error: 'invalid_token' }],
  [503, { data: { result: null } }],
  [500, { errors: [] }],
] as const) {
  test(`status ${status} with ${inspect(answer)} is a gateway's word: temporary`, async () => {
    await using graph = await startGraph(status, answer);
    await assert.rejects(
      clientOf(graph).request(request),
      failsWith({ temporary: true, reason: 'err_http_status_code', status }),
    );
  });
}

test('a gateway that asks for patience gets it', async () => {
  await using graph = await startGraph(429, 'slow down', { 'retry-after': '7' });
  const patience = failsWith({ temporary: true, status: 429, retryAfter: seconds(7) });
  await assert.rejects(clientOf(graph).request(request), patience);
});

test('a page with status 200 is no answer', async () => {
  await using graph = await startGraph(200, '<html>login</html>');
  const wrong = failsWith({ temporary: true, reason: 'wrong_answer' });
  await assert.rejects(clientOf(graph).request(request), wrong);
});

test('only what is not GraphQL makes the client leave a system alone', async () => {
  const twice = { breakAfter: 2 };
  await using refusing = await startGraph(500, errors({ message: 'internal' }));
  const patient = clientOf(refusing, twice);
  for (let n = 0; n < 4; n += 1)
    await assert.rejects(patient.request(request), failsWith({ temporary: true, reason: 'none' }));
  assert.equal(refusing.asked.length, 4);

  await using broken = await startGraph(403, 'RBAC: access denied');
  const careful = clientOf(broken, twice);
  for (const reason of ['err_http_status_code', 'err_http_status_code', 'left_alone'])
    await assert.rejects(careful.request(request), failsWith({ temporary: true, reason }));
  assert.equal(broken.asked.length, 2);
});

test('a message that quotes a confidential document is withheld, and a long one is cut', async () => {
  await using graph = await startGraph(
    422,
    errors({ message: `found canary ${'x'.repeat(9_999)}` }),
  );
  await assert.rejects(
    clientOf(graph).request({ ...request, confidential: true }),
    (error) => !inspect(error, { depth: 9 }).includes('canary'),
  );
  await assert.rejects(
    clientOf(graph).request(request),
    ({ message }: Error) => message.includes('found canary') && message.length < 400,
  );
});

test('a call ends at its timeout and at its signal', async () => {
  await using graph = await startGraph(200, { data: { result: null } });
  graph.faults.add({ system: 'graph', probability: 1, action: { kind: 'delay', for: 60_000 } });
  await assert.rejects(
    clientOf(graph, { timeout: 20 }).request(request),
    failsWith({ temporary: true, reason: 'unreachable' }),
  );
  const reason = new Error('canceled');
  const aborted = { ...request, signal: AbortSignal.abort(reason) };
  await assert.rejects(clientOf(graph).request(aborted), reason);
});
