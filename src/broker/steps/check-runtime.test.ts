import assert from 'node:assert/strict';
import { Writable } from 'node:stream';
import { test } from 'node:test';
import { pino } from 'pino';
import { minutes } from '#time';
import { defaultLimits } from '../services.ts';
import { startBroker } from '../testing.ts';
import { failureOf, runsOf, stage, succeeds, untilAfter } from './testing.ts';

const step = 'Check_Runtime';
const field = 'runtimeOperationStatus';

test('a cluster that failed fails the operation with the words of the provisioner', async () => {
  await using world = await startBroker();
  const order = await world.order('azure');
  const { facts } = await untilAfter(world, order, 'create_runtime');
  await stage(world.landscape, `operations/${String(facts['provisionerOperationId'])}`, {
    state: 'Failed',
    lastError: {
      errMessage: 'no quota',
      reason: 'ERR_INFRA_QUOTA_EXCEEDED',
      component: 'gardener',
    },
  });
  const failure = await failureOf(world, order);
  assert.partialDeepStrictEqual(failure, {
    step,
    class: 'system',
    system: 'provisioner',
    reason: 'ERR_INFRA_QUOTA_EXCEEDED',
  });
  assert.match(failure.message, /no quota$/);
});

test('a failure without a reason has one of ours', async () => {
  await using world = await startBroker();
  const order = await world.order('azure');
  const { facts } = await untilAfter(world, order, 'create_runtime');
  const path = `operations/${String(facts['provisionerOperationId'])}`;
  await stage(world.landscape, path, { state: 'Failed' });
  assert.equal((await failureOf(world, order)).reason, 'err_provisioner_nil_last_error');
});

test('a state that nobody knows is waited out, with a warning', async () => {
  const lines: string[] = [];
  const sink = new Writable({
    write(line, _encoding, next) {
      lines.push(String(line));
      next();
    },
  });
  await using world = await startBroker({ log: pino({ level: 'warn' }, sink) });
  world.landscape.faults.add({
    system: 'provisioner',
    field,
    count: 2,
    action: { kind: 'state', state: 'Meditating' },
  });
  const order = await world.order('azure');
  await succeeds(world, order);
  const runs = await runsOf(world, order, step);
  assert.ok(runs.includes('wait: the provisioner reports Meditating'), runs.join());
  assert.ok(
    lines.some((line) => line.includes('"state":"Meditating"')),
    lines.join(),
  );
});

test('a cluster that grows is not given up because a question about it was refused', async () => {
  await using world = await startBroker();
  const errors = [{ message: 'no', extensions: { error_code: 403, error_reason: 'err_no' } }];
  const body = JSON.stringify({ errors, data: null });
  const action = { kind: 'answer', status: 200, body } as const;
  world.landscape.faults.add({ system: 'provisioner', field, count: 2, action });
  await succeeds(world, await world.order('azure'));
});

test('an operation that the provisioner does not know any more is lost', async () => {
  await using world = await startBroker();
  const extensions = { error_code: 2, error_reason: 'err_db_not_found' };
  const body = JSON.stringify({ errors: [{ message: 'gone', extensions }], data: null });
  const action = { kind: 'answer', status: 200, body } as const;
  world.landscape.faults.add({ system: 'provisioner', field, count: 2, action });
  const failure = await failureOf(world, await world.order('azure'));
  assert.partialDeepStrictEqual(failure, { step, reason: 'err_db_not_found' });
});

test('a cluster that does not come within the limit fails the operation', async () => {
  const limits = { ...defaultLimits, provisioning: minutes(20) };
  await using world = await startBroker({ settings: { limits } });
  world.landscape.faults.add({ system: 'provisioner', field, action: { kind: 'stuck' } });
  const failure = await failureOf(world, await world.order('azure'));
  assert.partialDeepStrictEqual(failure, { step, reason: 'time_limit', system: 'provisioner' });
  assert.match(failure.message, /within 20 min: Provisioning started/);
});

const dashboard = 'https://console.example.com/';
for (const [what, runtime, expected] of [
  ['the one it knows', { labels: { runtime_consoleUrl: dashboard } }, dashboard],
  ['none so far, and the computed one stays', { labels: {} }, undefined],
] as const) {
  test(`Director is asked for the address of the dashboard: ${what}`, async () => {
    await using world = await startBroker({ withDirector: true });
    const result = { id: 'any', status: { condition: 'CONNECTED' }, ...runtime };
    world.landscape.faults.add({
      system: 'director',
      field: 'runtime',
      action: { kind: 'answer', status: 200, body: JSON.stringify({ data: { result } }) },
    });
    const order = await world.order('azure');
    await succeeds(world, order);
    const { dashboardUrl } = (await world.instance(order.instanceId)) ?? assert.fail();
    const computed = `https://dashboard.example.com/?kubeconfigID=${order.instanceId}`;
    assert.equal(dashboardUrl, expected ?? computed);
  });
}

test('an outage of Director is waited out', async () => {
  await using world = await startBroker({ withDirector: true });
  const result = { id: 'any', labels: {}, status: { condition: 'CONNECTED' } };
  const outage = { kind: 'answer', status: 503 } as const;
  const director = { system: 'director', field: 'runtime' };
  world.landscape.faults.add({ ...director, count: 2, action: outage });
  world.landscape.faults.add({
    ...director,
    action: { kind: 'answer', status: 200, body: JSON.stringify({ data: { result } }) },
  });
  const order = await world.order('azure');
  await succeeds(world, order);
  assert.match((await runsOf(world, order, step)).join(), /retry: director: .*done$/);
});
