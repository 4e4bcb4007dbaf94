import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { has, type Identity } from '#access';
import { Refusal, startApi } from './testing.ts';

const who = (groups: readonly string[]): Identity => ({
  subject: 'x',
  client: 'x',
  scopes: ['broker:write'],
  groups,
});
const world = await startApi({
  api: {
    async authorize({ headers }, right) {
      const groups = String(headers['x-groups'] ?? '').split(',');
      if (!has(who(groups), right)) throw new Refusal('FORBIDDEN', 'no');
    },
  },
});
after(() => world[Symbol.asyncDispose]());

const upgrade = (what: string, id: string, body?: unknown, groups = 'orchestrationsAdmin') =>
  world.call('POST', `/upgrade/${what}/${id}`, { body, headers: { 'x-groups': groups } });

for (const [what, type, wanted] of [
  ['kyma', 'upgradeKyma', { version: '2.19.0', dryRun: true }],
  [
    'cluster',
    'upgradeCluster',
    { kubernetesVersion: '1.27.4', machineImage: 'linux', machineImageVersion: '1.0.0' },
  ],
] as const) {
  test(`an upgrade of ${what} is accepted with its operation, and once`, async () => {
    const { id } = await world.instanceIn('ready');
    world.steering.set(`${type} ${id}`, 'hold');
    const { status, body } = await upgrade(what, id, wanted);
    assert.equal(status, 202);
    const started = await world.engine.get(String(body['operation']));
    assert.equal(started?.type, type);
    assert.deepEqual(started.facts, wanted);
    assert.deepEqual((await upgrade(what, id, wanted)).body, body);
    const other = await upgrade(what, id, { notification: true });
    assert.deepEqual(
      [other.status, other.body['error']],
      [422, `the instance ${id} has another ${type} under way`],
    );
  });

  test(`an upgrade of ${what} needs neither body nor version`, async () => {
    const { id } = await world.instanceIn('ready');
    const { status, body } = await upgrade(what, id);
    assert.equal(status, 202);
    assert.deepEqual((await world.engine.get(String(body['operation'])))?.facts, {});
  });

  test(`only those who may upgrade many runtimes may upgrade one (${what})`, async () => {
    const { id } = await world.instanceIn('ready');
    for (const groups of ['', 'runtimeAdmin', 'runtimeOperator'])
      assert.equal((await upgrade(what, id, {}, groups)).status, 403);
    assert.deepEqual(
      (await world.engine.ofSubject(id)).map((each) => each.type),
      ['provision'],
    );
  });

  test(`an upgrade of ${what} is refused where there is nothing to upgrade`, async () => {
    assert.equal((await upgrade(what, 'nobody')).status, 404);
    const { id } = await world.instanceIn('deprovisioning');
    assert.equal((await upgrade(what, id)).status, 422);
  });
}

test('what is wrong is named, with what is allowed', async () => {
  const { id } = await world.instanceIn('ready');
  for (const [what, body, why] of [
    ['kyma', { dryrun: true }, /dryrun is not known \(allowed: version, dryRun, notification\)/],
    ['kyma', { version: 'latest' }, /version is "latest": expected a version like 2\.20\.5/],
    ['kyma', { dryRun: 'yes' }, /dryRun must be true or false, got string/],
    ['cluster', { kubernetesVersion: 'v1' }, /kubernetesVersion is "v1": expected a version/],
    [
      'cluster',
      { machineImageVersion: '1.0.0' },
      /machineImageVersion is 1\.0\.0: expected machineImage/,
    ],
    ['cluster', { machineImage: 7 }, /machineImage must be a text, got/],
    ['cluster', '[]', /must be a JSON object/],
    ['cluster', '{', /not JSON/],
  ] as const) {
    const answer = await upgrade(what, id, body);
    assert.equal(answer.status, 400, JSON.stringify(body));
    assert.match(String(answer.body['error']), why);
  }
});
