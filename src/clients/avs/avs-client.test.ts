import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inspect } from 'node:util';
import { seconds } from '#time';
import { avs } from '../../landscape/avs/testing.ts';
import { startLandscape, type Landscape } from '../../landscape/testing.ts';
import type { SystemError } from '../system-error.ts';
import { avsClient, type AvsSettings } from './avs-client.ts';
import type { NewEvaluation } from './new-evaluation.ts';
import { failuresOf } from '../testing.ts';

const { signal } = new AbortController();
const canary = 'canary-secret';
const base = '/api/v2/evaluationmetadata';
const parentId = 40;
const wanted: NewEvaluation = {
  name: 'K8S-AWS-Kyma-int-1234-demo',
  description: '{}',
  testerAccessId: 7,
  groupId: 8,
  parentId,
  tags: [{ content: 'kyma', classId: 3, className: 'product' }],
};

const start = () => startLandscape({ systems: [avs] });

const clientOf = (landscape: Landscape, more: Partial<AvsSettings> = {}) =>
  avsClient({
    url: `${landscape.url}/avs${base}/`,
    tokenUrl: `${landscape.url}/avs/oauth/token`,
    clientId: 'kyma',
    username: 'broker',
    password: canary,
    ...more,
  });

const failsWith = failuresOf('avs', canary);

/** The next calls below the evaluations get this answer. */
const answer = (
  landscape: Landscape,
  status: number,
  {
    body = canary,
    count = 100,
    path = base,
  }: { body?: string; count?: number; path?: string } = {},
) =>
  landscape.faults.add({
    system: 'avs',
    path,
    count,
    action: {
      kind: 'answer',
      status,
      body,
      headers: status === 429 ? { 'retry-after': '7' } : {},
    },
  });

const asked = (landscape: Landscape, path: string) =>
  landscape.requests.filter((request) => request.path.startsWith(path)).length;

test('an evaluation is created, tagged, put into maintenance and removed', async () => {
  await using landscape = await start();
  const client = clientOf(landscape);
  const { id, status } = await client.createEvaluation(wanted, signal);
  assert.equal(status, 'ACTIVE');
  await client.addTag(id, { content: 'c-1a2b3c4', classId: 5, className: '' }, signal);
  await client.setLifecycle(id, 'MAINTENANCE', signal);
  assert.deepEqual(await client.getEvaluation(id, signal), {
    id,
    name: wanted.name,
    status: 'MAINTENANCE',
    tags: [...wanted.tags, { content: 'c-1a2b3c4', classId: 5, className: '' }],
  });
  assert.deepEqual(landscape.inventory()['avs'], {
    evaluations: [
      {
        id,
        name: wanted.name,
        url: '',
        status: 'MAINTENANCE',
        tags: ['kyma', 'c-1a2b3c4'],
        askedBy: 'kyma-control-plane',
      },
    ],
    compounds: [{ id: parentId, children: [id], askedBy: 'kyma-control-plane' }],
  });
  await client.removeEvaluation(id, parentId, signal);
  assert.deepEqual(landscape.inventory()['avs'], { evaluations: [], compounds: [] });
});

test('an evaluation is detached from its parent before it is deleted', async () => {
  await using landscape = await start();
  const client = clientOf(landscape);
  const { id } = await client.createEvaluation(wanted, signal);
  await client.removeEvaluation(id, parentId, signal);
  assert.deepEqual(
    landscape.requests.filter(({ method }) => method === 'DELETE').map(({ path }) => path),
    [`${base}/${parentId}/child/${id}`, `${base}/${id}`],
  );
});

test('removing an evaluation again, or from a parent that never had it, is a success', async () => {
  await using landscape = await start();
  const client = clientOf(landscape);
  const { id } = await client.createEvaluation(wanted, signal);
  await client.removeEvaluation(id, parentId + 1, signal);
  await client.removeEvaluation(id, parentId, signal);
  await client.removeEvaluation(id, parentId, signal);
  answer(landscape, 404);
  await client.removeEvaluation(id, parentId, signal);
});

test('a refusal to detach for any other reason fails the removal, and nothing is deleted', async () => {
  await using landscape = await start();
  const client = clientOf(landscape);
  const { id } = await client.createEvaluation(wanted, signal);
  for (const body of ['{"message":"compound is locked"}', '{"message":7}', 'no JSON']) {
    answer(landscape, 400, { path: 'child', count: 1, body });
    await assert.rejects(
      client.removeEvaluation(id, parentId, signal),
      failsWith({ temporary: false, reason: 'err_http_status_code', status: 400 }),
    );
  }
  assert.equal(landscape.inventory()['avs']?.['evaluations']?.length, 1);
});

test('an evaluation that does not exist cannot be read, tagged or set', async () => {
  await using landscape = await start();
  const client = clientOf(landscape);
  const missing = failsWith({ temporary: false, reason: 'err_http_status_code', status: 404 });
  await assert.rejects(client.getEvaluation('1', signal), missing);
  await assert.rejects(
    client.addTag('1', { content: '', classId: 1, className: '' }, signal),
    missing,
  );
  await assert.rejects(client.setLifecycle('1', 'ACTIVE', signal), missing);
});

for (const [status, temporary] of [
  [202, false],
  [204, false],
  [400, false],
  [403, false],
  [408, true],
  [409, false],
  [429, true],
  [500, true],
  [503, true],
] as const) {
  test(`status ${status} is ${temporary ? 'temporary' : 'permanent'}`, async () => {
    await using landscape = await start();
    answer(landscape, status);
    const client = clientOf(landscape);
    const failure = failsWith({
      temporary,
      reason: 'err_http_status_code',
      status,
      ...(status === 429 && { retryAfter: seconds(7) }),
    });
    await assert.rejects(client.createEvaluation(wanted, signal), failure);
    await assert.rejects(client.removeEvaluation('1', parentId, signal), failure);
  });
}

test('a deletion answered with 204 is an error, as AvS does not answer so', async () => {
  await using landscape = await start();
  answer(landscape, 204, { path: `${base}/\\d+$` });
  await assert.rejects(
    clientOf(landscape).removeEvaluation('1', parentId, signal),
    failsWith({ temporary: false, status: 204 }),
  );
});

test('a creation whose answer is lost leaves an evaluation behind, and the next one adds a twin', async () => {
  await using landscape = await start();
  const client = clientOf(landscape);
  for (const kind of ['reset', 'lost answer'] as const) {
    landscape.faults.add({
      system: 'avs',
      path: base,
      count: 1,
      action: { kind },
    });
    await assert.rejects(
      client.createEvaluation(wanted, signal),
      failsWith({ temporary: true, reason: 'unreachable' }),
    );
  }
  await client.createEvaluation(wanted, signal);
  assert.equal(landscape.inventory()['avs']?.['evaluations']?.length, 2);
});

test('a lifecycle that AvS has learned since is passed on as it is', async () => {
  await using landscape = await start();
  answer(landscape, 200, { body: '{"id":5,"name":"n","status":"SNOOZED","tags":null}' });
  const { status, tags } = await clientOf(landscape).getEvaluation('5', signal);
  assert.deepEqual({ status, tags }, { status: 'SNOOZED', tags: [] });
});

test('an answer of a wrong shape is temporary, and the message names the field', async () => {
  await using landscape = await start();
  const client = clientOf(landscape);
  for (const [body, field] of [
    ['<html>', /it is no JSON/],
    [`{"id":5,"name":"n","status":["${canary}"]}`, /status: /],
    ['{"id":"five","name":"n","status":"ACTIVE"}', /id: /],
  ] as const) {
    answer(landscape, 200, { body, count: 1 });
    await assert.rejects(client.getEvaluation('5', signal), (error: Error) => {
      assert.match(error.message, field);
      return failsWith({ temporary: true, reason: 'wrong_answer' })(error);
    });
  }
});

test('an id that a number cannot hold is never rounded', async () => {
  await using landscape = await start();
  const client = clientOf(landscape);
  answer(landscape, 200, { body: '{"id":9007199254740993,"name":"n","status":"ACTIVE"}' });
  const id = await client.createEvaluation(wanted, signal).then(
    (created) => created.id,
    (error: SystemError) => error.reason,
  );
  assert.ok(['9007199254740993', 'wrong_answer'].includes(id), id);
});

test('each call brings a token of its own', async () => {
  await using landscape = await start();
  const client = clientOf(landscape);
  const { id } = await client.createEvaluation(wanted, signal);
  await Promise.all([client.getEvaluation(id, signal), client.getEvaluation(id, signal)]);
  assert.equal(asked(landscape, '/oauth/token'), 3);
});

test('a refused token is replaced once, with the same call', async () => {
  await using landscape = await start();
  answer(landscape, 401, { count: 1 });
  await clientOf(landscape).createEvaluation(wanted, signal);
  assert.equal(asked(landscape, '/oauth/token'), 2);
  assert.equal(landscape.inventory()['avs']?.['evaluations']?.length, 1);
});

test('a token that is refused twice is a permanent failure', async () => {
  await using landscape = await start();
  answer(landscape, 401);
  await assert.rejects(
    clientOf(landscape).createEvaluation(wanted, signal),
    failsWith({ temporary: false, reason: 'err_http_status_code', status: 401 }),
  );
  assert.equal(asked(landscape, base), 2);
});

for (const status of [400, 401, 403, 500] as const) {
  test(`a token endpoint that answers ${status} is a temporary failure, and nothing is asked of AvS`, async () => {
    await using landscape = await start();
    answer(landscape, status, { path: '/oauth/token' });
    await assert.rejects(
      clientOf(landscape).createEvaluation(wanted, signal),
      failsWith({ temporary: true, status, message: `avs: cannot get a token: status ${status}` }),
    );
    assert.equal(asked(landscape, base), 0);
  });
}

test('a call ends at its timeout and at its signal', async () => {
  await using landscape = await start();
  landscape.faults.add({
    system: 'avs',
    path: base,
    action: { kind: 'delay', for: 60_000 },
  });
  const client = clientOf(landscape, { timeout: 200 });
  await assert.rejects(
    client.getEvaluation('1', signal),
    failsWith({ temporary: true, reason: 'unreachable' }),
  );
  const reason = new Error('canceled');
  await assert.rejects(client.getEvaluation('1', AbortSignal.abort(reason)), reason);
});

test('the client shows no password to whoever inspects it', async () => {
  await using landscape = await start();
  assert.doesNotMatch(
    inspect(clientOf(landscape), { depth: 9, showHidden: true }),
    new RegExp(canary),
  );
  assert.doesNotMatch(JSON.stringify(landscape.inventory()), new RegExp(canary));
});
