import assert from 'node:assert/strict';
import { Writable } from 'node:stream';
import { test } from 'node:test';
import { pino } from 'pino';
import { btpCredentials, startBroker } from '../testing.ts';
import { kubeconfigKey } from './get-kubeconfig.ts';
import {
  base64,
  kubeconfigText,
  lookingInto,
  runsOf,
  smallestOrder,
  stage,
  succeeds,
  timesAsked,
  untilAfter,
} from './testing.ts';

const step = 'Get_Kubeconfig';

for (const [what, staged, wait] of [
  ['is not there yet', null, 'wait: there is no kubeconfig yet'],
  ['is too short to be one', 'short', 'wait: the kubeconfig is too short to be one'],
  [
    'is not complete',
    'kind: Config # and nothing else',
    'wait: the kubeconfig cannot be used: current-context is missing, clusters is missing or empty',
  ],
] as const) {
  test(`a kubeconfig that ${what} is waited for`, async () => {
    await using world = await startBroker();
    const order = await world.order('azure');
    await untilAfter(world, order, 'create_runtime');
    const { runtimeId } = (await world.instance(order.instanceId)) ?? assert.fail();
    const path = `runtimes/${runtimeId}/kubeconfig`;
    await stage(world.landscape, path, { kubeconfig: staged });
    await world.pass(order.operationId, ({ because }) => `wait: ${because}` === wait);
    assert.deepEqual(await runsOf(world, order, step), [wait]);
    await stage(world.landscape, path, {
      kubeconfig: kubeconfigText({ cluster: { 'certificate-authority-data': 'Y2E=' } }),
    });
    await succeeds(world, order);
  });
}

test('that of a cluster which the customer brings is the one of the order', async () => {
  const seen: string[] = [];
  const disturb = lookingInto('configure_runtime', (memory) =>
    seen.push(memory.get(kubeconfigKey).reveal()),
  );
  await using world = await startBroker({ disturb });
  const parameters = { ...smallestOrder('own_cluster'), kubeconfig: base64(kubeconfigText()) };
  const order = await world.order('own_cluster', { parameters });
  await succeeds(world, order);
  assert.deepEqual(seen, [kubeconfigText()]);
  assert.equal(timesAsked(world.landscape, 'provisioner', 'runtimeStatus'), 0);
});

test('no kubeconfig or credential of a provisioning is stored in clear, or logged', async () => {
  const seen: string[] = [];
  const disturb = lookingInto('configure_runtime', (memory) =>
    seen.push(memory.get(kubeconfigKey).reveal()),
  );
  const lines: string[] = [];
  const sink = new Writable({
    write(line, _encoding, next) {
      lines.push(String(line));
      next();
    },
  });
  await using world = await startBroker({ disturb, log: pino({ level: 'trace' }, sink) });
  // What goes wrong is logged: here calls that carry secrets.
  const outage = { kind: 'answer', status: 503, body: 'sm-secret' } as const;
  world.landscape.faults.add({ system: 'reconciler', method: 'POST', count: 1, action: outage });
  const inCluster = { system: 'provisioner', path: '^/clusters/.*/secrets' };
  world.landscape.faults.add({ ...inCluster, count: 1, action: outage });
  const context = { sm_operator_credentials: btpCredentials() };
  await succeeds(world, await world.order('azure', { context }));
  const [, token = assert.fail()] = /token: (\S+)/.exec(seen[0] ?? '') ?? [];
  const texts = new Map([['log', lines.join('')]]);
  assert.match(lines.join(''), /step will be tried again/);
  for (const table of ['operations', 'step_runs', 'instances']) {
    const { rows } = await world.database.pool.query(`select * from ${table}`);
    texts.set(table, JSON.stringify(rows));
  }
  for (const [where, text] of texts) {
    for (const secret of [token, 'sm-secret']) assert.ok(!text.includes(secret), where);
  }
});
