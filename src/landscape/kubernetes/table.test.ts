import assert from 'node:assert/strict';
import { test } from 'node:test';
import { days, hours, minutes, seconds } from '#time';
import { jsonPath } from './json-path.ts';
import { age } from './table.ts';
import { kinds, startKubernetes } from './testing.ts';

const accept = 'application/json;as=Table;v=v1;g=meta.k8s.io,application/json';
const shoots = '/apis/core.gardener.cloud/v1beta1/namespaces/garden-demo/shoots';
type Table = {
  columnDefinitions: { name: string; priority: number }[];
  rows: { cells: unknown[] }[];
};

test('a table has the name, the columns of the kind, and the age', async () => {
  await using kubernetes = await startKubernetes();
  kubernetes.api.create(kinds.shoot, {
    metadata: { namespace: 'garden-demo', name: 'a' },
    spec: { region: 'westeurope', provider: { type: 'azure' }, purpose: 'evaluation' },
    status: { lastOperation: { state: 'Processing' } },
  });
  kubernetes.time.advance(minutes(5));
  const { body } = await kubernetes.call<Table>('GET', shoots, undefined, { accept });
  assert.deepEqual(
    body.columnDefinitions.filter(({ priority }) => priority === 0).map(({ name }) => name),
    ['Name', 'CloudProfile', 'Provider', 'Region', 'K8S Version', 'Last Operation', 'Age'],
  );
  const [row] = body.rows;
  assert.deepEqual(row?.cells.slice(0, -1), [
    'a',
    null,
    'azure',
    'westeurope',
    null,
    'Processing',
    null,
    'evaluation',
  ]);
  assert.match(String(row?.cells.at(-1)), /^5m/);
  assert.partialDeepStrictEqual(row, { object: { metadata: { name: 'a' } } });
});

test('rows carry as much of their object as is asked for', async () => {
  await using kubernetes = await startKubernetes();
  const secret = { metadata: { namespace: 'garden-demo', name: 'a' }, stringData: { b: 'c' } };
  kubernetes.api.create(kinds.secret, secret);
  const path = '/api/v1/namespaces/garden-demo/secrets/a';
  const row = async (include: string) => {
    const answer = await kubernetes.call<Table>(
      'GET',
      `${path}?includeObject=${include}`,
      undefined,
      {
        accept,
      },
    );
    return answer.body.rows[0];
  };
  assert.deepEqual(Object.keys((await row('None')) ?? {}), ['cells']);
  assert.partialDeepStrictEqual(await row('Object'), { object: { data: { b: 'Yw==' } } });
  assert.deepEqual((await row('None'))?.cells.slice(0, 3), ['a', 'Opaque', 1]);
});

test('metadata alone can be asked for', async () => {
  await using kubernetes = await startKubernetes();
  kubernetes.api.create(kinds.secret, { metadata: { namespace: 'garden-demo', name: 'a' } });
  const { body } = await kubernetes.call<{ items: object[] }>(
    'GET',
    '/api/v1/namespaces/garden-demo/secrets',
    undefined,
    { accept: 'application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io' },
  );
  assert.deepEqual(Object.keys(body.items[0] ?? {}), ['kind', 'apiVersion', 'metadata']);
});

for (const [duration, words] of [
  [seconds(119), '119s'],
  [minutes(5) + seconds(10), '5m10s'],
  [minutes(5), '5m'],
  [minutes(179), '179m'],
  [hours(7) + minutes(1), '7h1m'],
  [hours(47), '47h'],
  [days(7) + hours(3), '7d3h'],
  [days(700), '700d'],
  [days(800), '2y70d'],
  [days(3650), '10y'],
  [-seconds(1), '0s'],
] as const) {
  test(`an age of ${duration / seconds(1)} seconds is written ${words}`, () => {
    assert.equal(age(duration), words);
  });
}

for (const [path, expected] of [
  ['.metadata.name', ['a']],
  [`.metadata.annotations['b.c/d']`, ['e']],
  [String.raw`.metadata.annotations.b\.c/d`, ['e']],
  ['.spec.workers[*].name', ['w0', 'w1']],
  ['.spec.workers[0].name', ['w0']],
  ['.spec.workers[-1].name', ['w1']],
  ['.status.conditions[?(@.type=="Ready")].status', ['True']],
  ['.status.nothing.at.all', []],
] as const) {
  test(`the path ${path} of a column finds ${JSON.stringify(expected)}`, () => {
    const object = {
      metadata: { name: 'a', annotations: { 'b.c/d': 'e' } },
      spec: { workers: [{ name: 'w0' }, { name: 'w1' }] },
      status: { conditions: [{ type: 'Other' }, { type: 'Ready', status: 'True' }] },
    };
    assert.deepEqual(jsonPath(path)(object), expected);
  });
}
