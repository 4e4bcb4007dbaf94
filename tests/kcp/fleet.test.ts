// kcp from the order of runtimes to their removal, with the broker's real operations and the landscape.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFile, stat, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, test } from 'node:test';
import { timePasses } from '../fleet/fleet-world.ts';
import { startKcpWorld } from './world.ts';

const world = await startKcpWorld({ withRealSteps: true });
after(() => world[Symbol.asyncDispose]());
const { kcp, tried, broker, admin } = world;

type Runtimes = { data: { instanceID: string; shootName: string; status: { state: string } }[] };

/** Runs a command line that follows an operation, while time passes for that operation. */
async function followed(line: string) {
  const passing: Promise<unknown>[] = [];
  const seen = new Set<string>();
  const onOutput = (text: string) => {
    const [, id] = /OperationID: (\S+)/.exec(text) ?? [];
    if (id === undefined || seen.has(id)) return;
    seen.add(id);
    passing.push(broker.pass(id));
  };
  const run = await kcp(line, { onOutput });
  await Promise.all(passing);
  return run;
}

const order = (account: string) =>
  `provision -p azure -n ${account} -R westeurope -g ${account} -s sa-${account} --user-id a@example.com`;

test('a runtime is ordered from flags, waited for, and its kubeconfig is saved for its owner alone', async () => {
  const { output, notes } = await followed(`${order('ga-flags')} --wait`);
  assert.match(output, /^InstanceID: \S+\nOperationID: \S+\n$/);
  assert.match(notes, /^\d{4}\/\d\d\/\d\d \d\d:\d\d:\d\d provision in progress: /);
  assert.match(notes, /provision succeeded/);
  const path = admin.path('kubeconfig.yaml');
  await kcp(`kubeconfig -g ga-flags -s sa-ga-flags -o ${path}`);
  assert.match(await readFile(path, 'utf8'), /kind: Config/);
  assert.equal((await stat(path)).mode & 0o777, 0o600);
  const { output: inFolder } = await kcp(`kc -g ga-flags -s sa-ga-flags -o ${admin.home}`);
  const [{ shootName } = { shootName: '' }] = (await kcp('rt -g ga-flags -o json')).json<Runtimes>()
    .data;
  assert.equal(inFolder, `kubeconfig saved to ${admin.path(`${shootName}.yaml`)}\n`);
});

test('the reconciliations of a runtime are found by its shoot, and who asks is not told there', async () => {
  const [{ shootName } = { shootName: '' }] = (await kcp('rt -g ga-flags -o json')).json<Runtimes>()
    .data;
  assert.match((await kcp(`rc -c ${shootName}`)).output, /^SCHEDULING ID .*\n\S+ .* ready$/m);
  assert.match((await kcp(`rc state -c ${shootName} -o wide`)).output, new RegExp(shootName));
  assert.match((await kcp(`rc disable -c ${shootName} --dry-run`)).output, /^would disable/);
  const unknown = await tried(`rc -c ${shootName},c-nowhere`);
  assert.equal(unknown.code, 4);
  assert.match(unknown.notes, /there is no runtime with shoot c-nowhere /);

  const asked: IncomingMessage[] = [];
  await using server = createServer((request, response) => {
    asked.push(request);
    response.end('null'); // so the real one says that there are none
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // a port, not a pipe
  const environment = { KCP_MOTHERSHIP_API_URL: `http://127.0.0.1:${port}` };
  assert.equal((await kcp('rc -o json', { environment })).output, '[]\n');
  assert.deepEqual(
    asked.map(({ url, headers }) => [url, headers.authorization]),
    [['/v1/reconciliations', undefined]],
  );
});

test('an order comes from a file, and flags count more', async () => {
  const file = admin.path('order.yaml');
  await writeFile(
    file,
    [
      'plan: aws',
      'context: { globalaccount_id: ga-file, subaccount_id: sa-file, user_id: a@example.com }',
      'parameters: { name: from-file, region: eu-central-1 }',
    ].join('\n'),
  );
  const { json } = await kcp(`provision -f ${file} -n from-flag --dry-run`);
  const dry = json<{ plan_id: string; parameters: object; context: object }>();
  assert.equal(dry.plan_id, '361c511f-f939-4621-b228-d0fb79a1fe15');
  assert.deepEqual(dry.parameters, { name: 'from-flag', region: 'eu-central-1' });
  assert.equal((await kcp('rt -g ga-file -o json')).json<Runtimes>().data.length, 0);
  await followed(`provision -f ${file} --wait`);
  const { data } = (await kcp('rt -g ga-file -o json')).json<Runtimes>();
  assert.equal(data[0]?.status.state, 'succeeded');
});

for (const [line, code, complaint] of [
  ['provision -n x', 2, /which plan\?/],
  ['provision -p gold -n x', 4, /there is no plan gold; there are: .*azure/],
  ['provision -p azure', 2, /which name\?/],
  ['provision -p azure -n x --parameters {', 2, /--parameters is no JSON/],
  ['provision -f nowhere.yaml', 2, /--file nowhere\.yaml cannot be read \(ENOENT\)/],
  [
    `${order('ga-bad')} --parameters {"colour":"red"}`.replaceAll('"', '\\"'),
    2,
    /--parameters is no JSON/,
  ],
  ['deprovision -g ga-1', 2, /which runtime\?/],
  ['upgrade kyma', 2, /at least one runtime target must be specified with --target/],
  ['upgrade kyma -t all --schedule maintenancewindow', 2, /use --maintenancewindow/],
  ['upgrade kyma -t all --error-budget many', 2, /--error-budget is many: allowed are/],
  ['upgrade kyma -t all --strategy serial', 2, /Allowed choices are parallel/],
  ['orchestrations x explode', 2, /explode is no action: allowed are cancel, retry/],
  ['orchestrations --state odd', 2, /--state is odd: allowed are pending, inprogress/],
] as const)
  test(`kcp ${line} is refused`, async () => {
    const run = await tried(line);
    assert.equal(run.code, code, run.notes);
    assert.match(run.notes, complaint);
  });

test('what the broker refuses is told in its words', async () => {
  const { code, notes } = await admin.kcp([
    ...order('ga-refused').split(' '),
    '--parameters',
    '{"colour": "red"}',
  ]);
  assert.equal(code, 1);
  assert.match(notes, /PUT .*: 400; .*colour/);
});

test('an upgrade is previewed, asked about, and followed as an orchestration', async () => {
  await followed(`${order('ga-fleet-1')} --wait`);
  await followed(`${order('ga-fleet-2')} --wait`);
  const target = '-t account=^ga-fleet-';
  const preview = await kcp(`upgrade kyma ${target} --wave 1 --preview`);
  assert.match(preview.output, /^WAVE +SHOOT +GLOBALACCOUNT +SUBACCOUNT +PLAN +REGION/);
  assert.match(preview.output, /^1 .*\n2 /m);
  assert.equal((await kcp('orchestrations -o json')).json<{ totalCount: number }>().totalCount, 0);
  assert.equal((await tried(`upgrade kyma ${target}`, { typed: 'no\n' })).code, 1);

  const { output } = await kcp(`upgrade kyma ${target} --wave 1 --error-budget 0`, {
    typed: 'y\n',
  });
  const [, id = ''] = /^OrchestrationID: (\S+)$/m.exec(output) ?? [];
  assert.match(
    (await kcp('o')).output,
    /^ORCHESTRATION ID +TYPE +CREATED AT +STATE +DRY RUN +TARGETS +DETAILS$/m,
  );
  const paused = await kcp(`o ${id} pause --yes`);
  assert.match(paused.output, /pauses; go on with kcp o/);
  const watching = kcp(`o ${id} resume --watch`);
  await untilEnded(id);
  const { notes } = await watching;
  assert.match(notes, /succeeded: 2 of 2: 2 succeeded, 0 failed/);
  const sheet = (await kcp(`o ${id}`)).output;
  assert.match(sheet, /^State: +succeeded$/m);
  assert.match(sheet, /^ {2}succeeded: +2$/m);
  const ops = (await kcp(`o ${id} ops`)).output;
  assert.match(ops, /^OPERATION ID +SHOOT +GLOBALACCOUNT +SUBACCOUNT +STATE$/m);
  assert.equal(ops.match(/succeeded/g)?.length, 2);
  assert.match((await kcp(`o ${id} report`)).output, /^report of .* \(succeeded\)/);
  const late = await tried(`o ${id} cancel --yes`);
  assert.match(late.notes, /is succeeded already: nothing to cancel/);
  assert.match(
    (await tried(`o ${id} retry`)).notes,
    /only a failed or a running one can be retried/,
  );
});

/** Lets time pass for an orchestration and what it has begun. */
async function untilEnded(id: string): Promise<void> {
  for (;;) {
    const found = (await kcp(`o ${id} -o json`)).json<{ state: string }>();
    if (found.state === 'succeeded') return;
    const isOpen = ['pending', 'in progress', 'paused'].includes(found.state);
    assert.ok(isOpen, JSON.stringify(found));
    await timePasses(broker);
  }
}

test('a command is run for each runtime that is meant, with its ids and its kubeconfig', async () => {
  const script =
    'echo "$GLOBALACCOUNT_ID $SUBACCOUNT_ID $RUNTIME_NAME"; grep -c "kind: Config" "$KUBECONFIG"; ls -l "$KUBECONFIG" | cut -c1-10';
  const line = 'taskrun -t account=^ga-flags$ -s /bin/sh --';
  const { output } = await admin.kcp([...line.split(' '), script]);
  const [{ shootName } = { shootName: '' }] = (await kcp('rt -g ga-flags -o json')).json<Runtimes>()
    .data;
  assert.deepEqual(output.trimEnd().split('\n'), [
    `${shootName} ga-flags sa-ga-flags ${shootName}`,
    `${shootName} 1`,
    `${shootName} -rw-------`,
  ]);
});

test('a command that fails for some is counted, and the others are run all the same', async () => {
  const line =
    't -t account=ga- -e account=ga-file --no-kubeconfig --no-prefix-output -p 2 -s /bin/sh --';
  const script = 'echo $GLOBALACCOUNT_ID; test "$GLOBALACCOUNT_ID" = ga-flags';
  const { code, output, notes } = await admin.kcp([...line.split(' '), script]);
  assert.equal(code, 1);
  assert.deepEqual(output.trimEnd().split('\n').toSorted(), [
    'ga-flags',
    'ga-fleet-1',
    'ga-fleet-2',
  ]);
  assert.match(notes, /error: 2\/3 execution\(s\) failed/);
});

test('a runtime is removed after a question, and followed until it is gone', async () => {
  const dry = await kcp('deprovision -g ga-flags -s sa-ga-flags --dry-run');
  assert.match(dry.output, /would remove instance/);
  assert.equal((await tried('d -g ga-flags -s sa-ga-flags')).code, 2);
  const { notes } = await followed('d -g ga-flags -s sa-ga-flags --yes --wait');
  assert.match(notes, /deprovision succeeded/);
  assert.equal((await kcp('rt -g ga-flags -o json')).json<Runtimes>().data.length, 0);
});
