import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { minutes } from '#time';
import {
  orderOf,
  planIds,
  serviceId,
  startApi,
  type ApiWorldOptions,
} from '../../src/broker/api/testing.ts';
import { whatExists } from '../../src/broker/operations/testing.ts';
import { testContext, testSettings } from '../../src/broker/testing.ts';
import { testDatabase } from '../../src/database/testing.ts';
import { startLandscape } from '../../src/landscape/testing.ts';
import { comparable } from '../every-step/comparable.ts';

const credentials = {
  clientid: 'c',
  clientsecret: 's',
  sm_url: 'https://sm.example.com',
  url: 'https://auth.example.com',
  xsappname: 'app',
};
const order = orderOf({
  plan_id: planIds.trial,
  context: { ...testContext, sm_operator_credentials: credentials },
});
const active = (is: boolean, more: object = {}) => ({ context: { active: is }, ...more });

/** What an outage holds up is soon given up. */
const limits = { ...testSettings.limits, deprovisioning: minutes(15) };

/** A trial that is there, and what there was before it. */
async function startTrial(options: ApiWorldOptions = {}) {
  const world = await startApi({ withRealSteps: true, settings: { limits }, ...options });
  const id = randomUUID();
  const before = whatExists(world.landscape);
  const ordered = await world.put(id, order);
  assert.equal((await world.pass(world.operationOf(ordered))).state, 'succeeded');
  return { ...world, ...trialOf(world, id), id, before, provisioned: existing(world) };
}

type World = Awaited<ReturnType<typeof startApi>>;

const trialOf = (world: World, id: string) => ({
  /** Asks for it, and waits until it is so. */
  turn: async (is: boolean) => {
    const asked = await world.patch(id, active(is));
    assert.equal(asked.status, 202, asked.text);
    // What is left of an earlier one is removed first: time must pass for that, too.
    const inLine = (await world.engine.ofSubject(id)).filter(({ ended_at }) => ended_at === null);
    for (const { id: before } of inLine.toReversed()) await world.pass(before);
    return world.pass(world.operationOf(asked));
  },
  stored: async () => (await world.instance(id)) ?? assert.fail('the instance is gone'),
});

/** By name, as far as it is the same for two runtimes of one order. */
const existing = ({ landscape }: Pick<World, 'landscape'>) =>
  comparable(whatExists(landscape), {
    // The Reconciler counts its configurations, AvS its evaluations.
    ignored: ['clusterVersion', 'configurationVersion'],
    drawn: /\b(?:demo-[a-z]{5}|9876543\d\d)\b/g,
  });

test('a trial is suspended, which leaves nothing out there, and brought back as it was', async () => {
  await using world = await startTrial();
  const { id } = world;
  const first = await world.stored();

  const asked = await world.patch(id, active(false));
  assert.equal(asked.status, 202);
  const during = await world.poll(id);
  assert.equal(during.body['state'], 'in progress');
  assert.match(String(during.body['description']), /^suspension: /);
  assert.equal((await world.get(id)).status, 422);
  await world.pass(world.operationOf(asked));
  assert.deepEqual(whatExists(world.landscape), world.before);

  for (const query of ['', `operation=${world.operationOf(asked)}`])
    assert.deepEqual((await world.poll(id, query)).body, {
      state: 'succeeded',
      description: 'suspended',
    });
  const shown = await world.get(id);
  assert.equal(shown.status, 200);
  assert.partialDeepStrictEqual(shown.body, {
    parameters: { ers_context: { active: false } },
    metadata: { labels: { Name: 'demo', Status: 'suspended' } },
  });
  assert.equal((await world.call('GET', `/kubeconfig/${id}`)).status, 404);
  assert.equal((await world.put(id, order)).status, 200);
  assert.deepEqual((await world.patch(id, active(false), '')).body, {});

  const back = await world.turn(true);
  assert.equal(back.state, 'succeeded', back.description);
  assert.deepEqual((await world.poll(id)).body, { state: 'succeeded', description: 'unsuspended' });
  assert.deepEqual(existing(world), world.provisioned);
  const second = await world.stored();
  assert.notEqual(second.runtimeId, first.runtimeId);
  assert.equal(second.shootName, first.shootName);
  assert.equal(second.dashboardUrl, first.dashboardUrl);
  assert.partialDeepStrictEqual((await world.get(id)).body, {
    parameters: { ers_context: { active: true } },
    metadata: { labels: { Name: 'demo' } },
  });
  assert.equal((await world.patch(id, active(true), '')).status, 200);

  const removal = await world.delete(id);
  assert.deepEqual((await world.pass(world.operationOf(removal))).not_completed, []);
  assert.deepEqual(whatExists(world.landscape), world.before);
});

test('only trials are suspended; others take the word for what it is, a context', async () => {
  await using world = await startApi();
  for (const plan of ['azure', 'own_cluster', 'free'] as const) {
    const { id } = await world.instanceIn(
      'ready',
      orderOf({
        plan_id: planIds[plan],
        ...(plan === 'own_cluster' && { parameters: { name: 'own', ...theirs } }),
      }),
    );
    assert.deepEqual((await world.patch(id, active(false), '')).body, {}, plan);
    assert.equal((await world.get(id)).status, 200);
  }
});

const theirs = {
  kubeconfig: Buffer.from(
    `{"current-context":"a","clusters":[{"name":"a","cluster":{"server":"https://a.example.com","certificate-authority-data":"Y2E="}}],"contexts":[{"name":"a","context":{"cluster":"a","user":"a"}}],"users":[{"name":"a","user":{"token":"t"}}]}`,
  ).toString('base64'),
  shootName: 'theirs',
  shootDomain: 'theirs.example.com',
};

test('what a suspension leaves is removed by the next one, or before the trial comes back', async (t) => {
  await using world = await startTrial();
  for (const [system, where] of [
    ['avs', {}],
    ['edp', {}],
    ['edp', { path: '/metadata/maasConsumerRegion' }], // so it is half deregistered
    ['ias', {}],
    ['control-plane', {}],
    ['reconciler', {}],
    ['provisioner', { field: 'deprovisionRuntime' }],
  ] as const)
    for (const next of ['suspended again', 'brought back'] as const)
      await t.test(`without ${system} ${Object.values(where).join('')}, ${next}`, async () => {
        const fault = world.landscape.faults.add({
          system,
          path: '^/(?!oauth)', // tokens are given out
          ...where,
          action: { kind: 'answer', status: 503 },
        });
        const suspension = await world.turn(false);
        assert.equal(suspension.state, 'succeeded');
        assert.notDeepEqual(suspension.not_completed, []);
        const { body } = await world.poll(world.id);
        assert.match(String(body['description']), /^suspended, but not completed: /);
        world.landscape.faults.remove(fault);
        if (next === 'suspended again') {
          assert.deepEqual((await world.turn(false)).not_completed, []);
          assert.deepEqual(whatExists(world.landscape), world.before);
        }
        assert.equal((await world.turn(true)).state, 'succeeded');
        assert.deepEqual(existing(world), world.provisioned);
      });
  const removal = await world.delete(world.id);
  assert.deepEqual((await world.pass(world.operationOf(removal))).not_completed, []);
  assert.deepEqual(whatExists(world.landscape), world.before);
});

test('a trial does not come back while something of its former runtime is there', async () => {
  await using world = await startTrial();
  const fault = world.landscape.faults.add({
    system: 'provisioner',
    field: 'deprovisionRuntime',
    action: { kind: 'answer', status: 503 },
  });
  await world.turn(false);
  const failed = await world.turn(true);
  assert.equal(failed.error?.reason, 'former_runtime_left');
  const { body } = await world.poll(world.id);
  assert.partialDeepStrictEqual(body, { state: 'failed', instance_usable: false });
  assert.equal((await world.get(world.id)).status, 200);

  world.landscape.faults.remove(fault);
  assert.equal((await world.turn(true)).state, 'succeeded');
  assert.deepEqual(existing(world), world.provisioned);
});

const refusal = (where: object) =>
  ({
    kind: 'answer',
    status: 'field' in where ? 200 : 400, // as GraphQL does it
    body: JSON.stringify({ errors: [{ message: 'no', extensions: { error_code: 400 } }] }),
  }) as const;

test('a return that failed is tried again from the start, or given up, whichever system refused', async (t) => {
  await using world = await startTrial();
  await world.turn(false);
  for (const [system, where] of [
    ['avs', { method: 'POST', path: '/evaluationmetadata$' }],
    ['edp', { method: 'POST' }],
    ['provisioner', { field: 'provisionRuntime' }],
    ['reconciler', { method: 'POST' }],
    ['control-plane', { method: 'POST', path: '/kymas$' }],
  ] as const)
    await t.test(system, async () => {
      const fail = async () => {
        const fault = world.landscape.faults.add({ system, ...where, action: refusal(where) });
        assert.equal((await world.turn(true)).state, 'failed');
        world.landscape.faults.remove(fault);
        const { body } = await world.poll(world.id);
        assert.equal(body['update_repeatable'], true);
      };
      await fail();
      assert.equal((await world.turn(true)).state, 'succeeded');
      assert.deepEqual(existing(world), world.provisioned);
      await world.turn(false);
      await fail();
      assert.deepEqual((await world.turn(false)).not_completed, []);
      assert.deepEqual(whatExists(world.landscape), world.before);
    });
});

test('suspension and return that take longer than they may have failed, and are done by the next ones', async () => {
  const operation = minutes(40);
  await using world = await startTrial({
    settings: { limits: { ...testSettings.limits, operation } },
  });
  const { faults } = world.landscape;
  const stuck = { system: 'provisioner', field: 'runtimeOperationStatus' } as const;
  const late = async (is: boolean) => {
    const fault = faults.add({ ...stuck, action: { kind: 'stuck' } });
    const { state, error } = await world.turn(is);
    assert.deepEqual([state, error?.reason], ['failed', 'time_limit']);
    faults.remove(fault);
    assert.equal((await world.poll(world.id)).body['state'], 'failed');
  };
  await late(false);
  assert.deepEqual((await world.turn(false)).not_completed, []);
  assert.deepEqual(whatExists(world.landscape), world.before);
  await late(true);
  assert.equal((await world.turn(true)).state, 'succeeded');
  assert.deepEqual(existing(world), world.provisioned);
});

test('suspension and return go on after a restart of the broker, in whichever stage they were', async () => {
  await using database = await testDatabase({ migrations: ['engine', 'audit', 'broker'] });
  await using landscape = await startLandscape();
  const options: ApiWorldOptions = { withRealSteps: true, database, landscape };
  const trial = await startTrial(options);
  const { id, before, provisioned } = trial;
  let world: World = trial;
  await using _last = { [Symbol.asyncDispose]: () => world[Symbol.asyncDispose]() };

  const throughRestarts = async (is: boolean) => {
    const operation = world.operationOf(await world.patch(id, active(is)));
    const { type } = (await world.engine.get(operation)) ?? assert.fail();
    for (const { name } of world.engine.definitions.get(type).stages) {
      const { ended_at } = await world.pass(operation, ({ finished_stages }) =>
        finished_stages.includes(name),
      );
      if (ended_at) return;
      const { offset } = world.clock;
      await world[Symbol.asyncDispose]();
      world = await startApi(options);
      world.clock.advance(offset);
      await world.engine.wake(operation);
    }
    assert.equal((await world.pass(operation)).state, 'succeeded');
  };
  await throughRestarts(false);
  assert.deepEqual(whatExists(landscape), before);
  await throughRestarts(true);
  assert.deepEqual(existing(world), provisioned);
});

test('a delete wins over a suspension, a return, and both in line', async () => {
  await using world = await startTrial();
  const { id, before } = world;
  const nothingIsLeft = async (...stopped: string[]) => {
    const removal = world.operationOf(await world.delete(id));
    for (const is of [true, false]) {
      const { status, body } = await world.patch(id, active(is));
      assert.deepEqual([status, body['error']], [422, 'ConcurrencyError']);
    }
    assert.deepEqual((await world.pass(removal)).not_completed, []);
    for (const each of stopped) assert.equal((await world.pass(each)).state, 'canceled');
    assert.deepEqual(whatExists(world.landscape), before);
    assert.equal(await world.instance(id), undefined);
    const again = world.operationOf(await world.put(id, order));
    assert.equal((await world.pass(again)).state, 'succeeded');
  };
  const ask = async (is: boolean) => world.operationOf(await world.patch(id, active(is)));

  const suspension = await ask(false);
  await world.pass(suspension, ({ step }) => step === 'Check_Runtime_Removal');
  await nothingIsLeft(suspension);

  await world.turn(false);
  const back = await ask(true);
  await world.pass(back, ({ step }) => step === 'Check_Runtime');
  await nothingIsLeft(back);

  const first = await ask(false);
  await nothingIsLeft(first, await ask(true));
});

test('whoever changes his mind is heard: the last word counts, and is done once', async () => {
  await using world = await startTrial();
  const { id } = world;
  const ask = async (is: boolean) => world.operationOf(await world.patch(id, active(is)));
  const suspension = await ask(false);
  const back = await ask(true);
  assert.notEqual(back, suspension);
  assert.equal(await ask(true), back);
  assert.equal((await world.poll(id)).body['state'], 'in progress');
  assert.equal(await ask(false), suspension); // it has not ended: the return that waited behind it is off
  assert.equal((await world.pass(back)).state, 'canceled');
  await world.pass(suspension);
  assert.deepEqual(whatExists(world.landscape), world.before);

  const second = await ask(true);
  await world.pass(second, ({ step }) => step === 'Check_Runtime');
  const off = await ask(false);
  assert.equal((await world.pass(off)).state, 'succeeded');
  assert.equal((await world.pass(second)).state, 'canceled');
  assert.deepEqual(whatExists(world.landscape), world.before);
  const many = await Promise.all(Array.from({ length: 10 }, () => ask(true)));
  assert.equal(new Set(many).size, 1);
  assert.equal((await world.pass(many[0] ?? '')).state, 'succeeded');
  assert.deepEqual(existing(world), world.provisioned);
});

test('a suspended trial takes a new context for its next runtime, and nothing else', async () => {
  await using world = await startTrial();
  const { id } = world;
  for (const more of [
    { parameters: { machineType: 'm5.xlarge' } },
    { parameters: { administrators: ['a@b.c'] } },
  ]) {
    const { status } = await world.patch(id, active(false, more));
    assert.ok(status === 400 || status === 422);
  }
  await world.turn(false);
  const context = { license_type: 'TRIAL' };
  assert.deepEqual((await world.patch(id, { context }, '')).body, {});
  assert.equal((await world.stored()).context.license_type, 'TRIAL');
  const administrators = ['somebody@example.com'];
  const refused = await world.patch(id, { parameters: { administrators } });
  assert.equal(refused.status, 422);
  assert.match(String(refused.body['description']), /is suspended: it has no runtime to change/);
  const binding = await world.call('PUT', `/v2/service_instances/${id}/service_bindings/b`, {
    body: { service_id: serviceId, plan_id: planIds.trial },
  });
  assert.deepEqual([binding.status, binding.body['error']], [422, undefined]);
  assert.equal((await world.turn(true)).state, 'succeeded');
  assert.equal((await world.stored()).context.license_type, 'TRIAL');
});

test('a trial that has expired is suspended and never comes back', async () => {
  await using world = await startTrial();
  const { id } = world;
  const expired = { parameters: { expired: true } };
  for (const body of [expired, active(true, expired)]) {
    const { status, body: answer } = await world.patch(id, body);
    assert.equal(status, 400);
    assert.match(String(answer['description']), /context\.active=false is required for expiration/);
  }
  assert.equal((await world.stored()).expiredAt, undefined);
  const suspension = await world.patch(id, active(false, expired));
  assert.equal(suspension.status, 202);
  for (const _ of ['while it is suspended', 'and later']) {
    const back = await world.patch(id, active(true));
    assert.deepEqual([back.status, back.body['instance_usable']], [400, false]);
    assert.match(String(back.body['description']), /has expired/);
    await world.pass(world.operationOf(suspension));
  }
  const { expiredAt } = await world.stored();
  assert.ok(expiredAt);
  assert.deepEqual((await world.patch(id, active(false, expired))).body, {});
  assert.deepEqual((await world.stored()).expiredAt, expiredAt);
  const removal = await world.delete(id);
  assert.deepEqual((await world.pass(world.operationOf(removal))).not_completed, []);
  assert.equal(await world.instance(id), undefined);
});
