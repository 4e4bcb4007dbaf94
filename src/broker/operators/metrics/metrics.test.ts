import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, test } from 'node:test';
import { pino } from 'pino';
import { Registry } from 'prom-client';
import { inTransaction } from '#database';
import { minutes } from '#time';
import { eventually } from '../../../database/testing.ts';
import { planIds, startApi } from '../../api/testing.ts';
import { nothingChanges } from '../../steps/update-kyma-initialization.ts';
import { accountMetrics } from './account-metrics.ts';
import { brokerMetrics } from './broker-metrics.ts';
import { durationMetrics } from './duration-metrics.ts';

let world: Awaited<ReturnType<typeof startApi>>;
before(async () => {
  world = await startApi();
});
after(() => world[Symbol.asyncDispose]());

const plan_id = planIds.azure;
const { signal } = new AbortController();
const scrape = async () => (await world.call('GET', '/metrics')).text;

/** The values of those that have these labels, and perhaps others. */
const valuesIn = (text: string, name: string, labels: Readonly<Record<string, string>>) =>
  text
    .split('\n')
    .filter((line) => line.startsWith(`${name}{`) || line.startsWith(`${name} `))
    .filter((line) =>
      Object.entries(labels).every(([label, value]) =>
        new RegExp(`[{,]${label}="${value}"`).test(line),
      ),
    )
    .map((line) => Number(line.split(' ').at(-1)));

test('metrics are counted from the database and from what happened here', async () => {
  const { pool } = world.database;
  const { id, operation } = await world.instanceIn('ready');
  const failed = await world.instanceIn('failed');
  const held = await world.instanceIn('provisioning');
  const waiting = await eventually(async () => {
    const row = await world.engine.get(held.operation);
    return row?.step === 'Steered_By_Test' && row.waiting_since !== null;
  });
  assert.ok(waiting);
  await pool.query(
    `update instances set details = details || '{"targetSecret": "account-7"}' where id = $1`,
    [id],
  );
  const ends = async (type: string, subject: string) =>
    world.pass((await world.engine.start(type, subject, { instanceId: id })).id);
  await ends('update', id);
  await ends('bind', 'binding:b-7');
  await ends('unbind', 'binding:b-7');
  const pointless = await ends('update', id);
  await pool.query('update operations set description = $2 where id = $1', [
    pointless.id,
    nothingChanges,
  ]);
  for (const context of [{}, { globalaccount_id: 'ga-1' }, { license_type: 'SAPDEV' }])
    assert.equal((await world.patch(id, { context })).status, 200);
  await reconciled(
    { subject: id, outcome: 'overwritten' },
    { subject: failed.id, outcome: 'failed' },
  );
  const shootOf = async (of: { id: string }) => (await world.instance(of.id))?.shootName ?? '';
  const shoot = await shootOf({ id });

  const text = await scrape();
  const ofInstance = { instance_id: id, global_account_id: 'ga-1', plan_id };
  const ofOperation = { ...ofInstance, operation_id: operation };
  for (const [name, labels, expected] of [
    ['compass_keb_instances_total', {}, 3],
    ['kcp_keb_v2_instances_total', {}, 3],
    ['kcp_keb_v2_global_account_id_instances_total', { global_account_id: 'ga-1' }, 3],
    ['kcp_keb_v2_ers_context_license_type_total', { license_type: 'SAPDEV' }, 1],
    ['compass_keb_operations_provisioning_succeeded_total', { plan_id }, 1],
    ['compass_keb_operations_provisioning_failed_total', { plan_id }, 1],
    ['compass_keb_operations_updating_succeeded_total', { plan_id }, 2],
    ['kcp_keb_v2_operations_provisioning_in_progress_total', { plan_id }, 1],
    ['kcp_keb_v2_operations_provisioning_in_progress_total', { plan_id: planIds.aws }, 0],
    ['kcp_keb_v2_operations_provisioning_succeeded_total', { plan_id }, 1],
    ['kcp_keb_v2_operations_provisioning_failed_total', { plan_id }, 1],
    ['kcp_keb_v2_operations_updating_succeeded_total', { plan_id }, 2],
    ['kcp_keb_v2_operations_updating_failed_total', { plan_id }, 0],
    ['kcp_keb_v2_provisioning_duration_minutes_count', { plan_id }, 1],
    ['compass_keb_provisioning_duration_minutes_count', ofOperation, 1],
    ['kcp_keb_v2_provisioning_step_duration_seconds_count', { plan_id, step_name: 'Begin' }, 3],
    ['compass_keb_operation_result', { ...ofOperation, state: 'succeeded' }, 1],
    ['kcp_keb_v2_operation_result', { ...ofOperation, shoot, provider: 'azure' }, 1],
    ['compass_keb_provisioning_result', ofOperation, 1],
    ['compass_keb_provisioning_result', { instance_id: failed.id }, 0],
    ['compass_keb_provisioning_result', { instance_id: held.id }, 2],
    ['compass_keb_provisioning_step_result', { ...ofOperation, step_name: 'Begin' }, 1],
    ['compass_keb_provisioning_step_result', { ...ofOperation, step_name: 'Steered_By_Test' }, 1],
    ['compass_keb_provisioning_step_result', stepOf(failed), 0],
    ['compass_keb_provisioning_step_result', stepOf(held), 2],
    ['kcp_keb_v2_instance_updates_total', { instance_id: id }, 2],
    ['kcp_keb_v2_instance_empty_updates_total', { instance_id: id }, 3],
    [
      'kcp_keb_v2_instances_per_credentials_binding',
      { credentials_binding: 'account-7', global_account_id: 'ga-1' },
      1,
    ],
    ['kcp_keb_v2_bind_duration_millisecond_count', {}, 1],
    ['kcp_keb_v2_unbind_duration_millisecond_count', {}, 1],
    ['kcp_keb_v2_binding_created_total', { plan_id }, 1],
    ['reconciled_secrets', { shoot, state: 'reconciled' }, 1],
    ['reconciled_secrets', { shoot, state: 'skipped' }, 0],
    ['kcp_broker_step_runs_total', { type: 'provision', step: 'Begin', outcome: 'done' }, 3],
    ['kcp_broker_step_duration_seconds_count', { type: 'provision', step: 'Begin' }, 3],
    ['kcp_broker_step_attempts_count', { type: 'provision', step: 'Begin' }, 3],
    ['kcp_broker_open_operations', { type: 'provision', state: 'in progress' }, 1],
    ['kcp_broker_replicas', {}, 1],
  ] as const)
    assert.deepEqual(valuesIn(text, name, labels), [expected], `${name} ${JSON.stringify(labels)}`);
  assert.deepEqual(valuesIn(text, 'reconciled_secrets', { shoot: await shootOf(failed) }), []);
  for (const line of [
    /^kcp_keb_v2_queue_depth\{queue_name="update-processing"\} 0/m,
    /^kcp_keb_v2_queue_depth\{queue_name="provisioning"\} \d/m,
    /^kcp_keb_v2_queue_workers_in_use\{queue_name="deprovisioning"\} 0/m,
    /^kcp_broker_operations_now\{activity="due"\} \d/m,
    /^kcp_broker_claim_lateness_seconds_count [1-9]/m,
    /^kcp_broker_leases_held\{replica=".+"\} \d/m,
    /^kcp_broker_database_connections\{state="open"\} [1-9]/m,
    /^process_cpu_seconds_total/m,
  ])
    assert.match(text, line);
});

const stepOf = ({ id, operation }: { id: string; operation: string }) => ({
  instance_id: id,
  operation_id: operation,
  step_name: 'Steered_By_Test',
});

/** A run of the reconciler that came to this. */
async function reconciled(...entries: readonly { subject: string; outcome: string }[]) {
  const id = randomUUID();
  const { database, jobs } = world;
  const run = { id, job: 'runtime-reconciler', trigger: 'by hand', dry_run: false } as const;
  await jobs.runs.insert(database.pool, run);
  for (const entry of entries)
    await inTransaction(database, (db) => jobs.runs.advance(db, id, entry.subject, entry));
  await database.pool.query(
    `update job_runs set state = 'succeeded', ended_at = now() where id = $1`,
    [id],
  );
}

test('accounts at hyperscalers are counted every few minutes, and not told while Gardener is away', async () => {
  const { accounts } = world.services.clients;
  const owner = { tenantName: 'ga-9', hyperscalerType: 'aws', euAccess: false };
  await accounts.claim(owner, signal);
  await accounts.claim({ ...owner, tenantName: 'ga-8' }, signal);
  await accounts.release(owner, signal);
  const registry = new Registry();
  const said: { level: number; msg: string }[] = [];
  const log = pino({}, { write: (line) => said.push(JSON.parse(line) as (typeof said)[number]) });
  const closing = new AbortController();
  let now = 0;
  const count = accountMetrics(registry, accounts, closing.signal, () => now);
  const told = async () => {
    await count(log);
    const text = await registry.metrics();
    const values = (kind: string, tenant_name?: string) =>
      valuesIn(text, `kcp_keb_v2_${kind}_credentials_bindings`, {
        hyperscaler_type: 'aws',
        ...(tenant_name && { tenant_name }),
      });
    return [
      values('available'),
      values('shared'),
      values('dirty'),
      values('claimed', 'ga-8'),
      values('claimed', 'ga-9'),
    ].flat();
  };
  const all = [9, 2, 1, 1, 1]; // ten in the pool, one for EU access, two of these claimed
  assert.deepEqual(await told(), all);

  const fault = world.landscape.faults.add({
    system: 'gardener',
    action: { kind: 'answer', status: 503 },
  });
  now += minutes(2);
  assert.deepEqual(await told(), all, 'it was not asked again yet');
  for (let time = 0; time < 3; time += 1) {
    now += minutes(3);
    assert.deepEqual(await told(), []);
  }
  assert.deepEqual(
    said.map(({ level }) => level),
    [pino.levels.values['warn']],
  );
  world.landscape.faults.remove(fault);
  assert.deepEqual(await told(), [], 'it was not asked again yet');
  now += minutes(3);
  assert.deepEqual(await told(), all);
  assert.equal(said.length, 2, 'and that it is back');

  const slow = world.landscape.faults.add({
    system: 'gardener',
    action: { kind: 'delay', for: minutes(10) },
  });
  now += minutes(3);
  const asked = told();
  closing.abort();
  assert.deepEqual(await asked, all, 'whoever stops the server does not wait for Gardener');
  assert.equal(said.length, 2);
  world.landscape.faults.remove(slow);
});

test('nobody who asks for metrics waits for Gardener', { timeout: minutes(1) }, async () => {
  const { services, engine } = world;
  const { clients } = services;
  const { promise: answers, resolve: answer } = Promise.withResolvers<void>();
  const list: typeof clients.accounts.list = async (signal) => {
    await answers;
    return clients.accounts.list(signal);
  };
  const registry = new Registry();
  const accounts = { ...clients.accounts, list };
  const count = brokerMetrics(
    registry,
    { ...services, engine, clients: { ...clients, accounts } },
    signal,
  );
  await count(pino({ level: 'silent' }));
  const name = 'kcp_keb_v2_shared_credentials_bindings';
  const azure = { hyperscaler_type: 'azure' };
  assert.deepEqual(valuesIn(await registry.metrics(), name, azure), []);
  answer();
  const shared = await eventually(async () => {
    const values = valuesIn(await registry.metrics(), name, azure);
    return values.length > 0 && values;
  });
  assert.deepEqual(shared, [2]);
});

test('of the newest operations each has a histogram of its own, and sums count every one', async () => {
  const registry = new Registry();
  const observe = durationMetrics(registry);
  const ids = Array.from({ length: 13 }, (_, number) => `operation-${number}`);
  for (const operation of ids)
    observe({
      event: {
        kind: 'ended',
        type: 'provision',
        operation,
        state: 'succeeded',
        description: '',
        error: null,
        duration: minutes(30),
      },
      instance_id: 'i-1',
      global_account_id: 'ga-1',
      plan_id,
    });
  const text = await registry.metrics();
  const name = 'compass_keb_provisioning_duration_minutes_count';
  const found = ids.filter((id) => valuesIn(text, name, { operation_id: id }).length === 1);
  assert.deepEqual(found, ids.slice(-10));
  const counts = valuesIn(text, name, { plan_id });
  assert.equal(
    counts.reduce((sum, each) => sum + each, 0),
    13,
  );
});
