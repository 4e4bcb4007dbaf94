// kcp against the broker's operator API: what operators look at, and what they do to single operations.
import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { after, test } from 'node:test';
import { orderOf } from '../../src/broker/api/testing.ts';
import { startKcpWorld } from './world.ts';

const world = await startKcpWorld();
after(() => world[Symbol.asyncDispose]());
const { kcp, tried, broker } = world;

type Runtimes = { data: { instanceID: string; status: { state: string } }[]; totalCount: number };

const orderFor = (account: string) =>
  orderOf({
    context: {
      globalaccount_id: account,
      subaccount_id: `sa-${account}`,
      user_id: 'a@example.com',
    },
  });

test('runtimes have the columns, times and states that operators know', async () => {
  await broker.instanceIn('ready', orderFor('ga-columns'));
  await broker.instanceIn('failed', orderFor('ga-columns'));
  const { output } = await kcp('runtimes -g ga-columns --sort createdAt');
  const [header = '', first = '', second = ''] = output.split('\n');
  assert.match(
    header,
    /^GLOBALACCOUNT ID +SUBACCOUNT ID +SHOOT +REGION +PLAN +CREATED AT +STATE +EU ACCESS$/,
  );
  assert.match(
    first,
    /^ga-columns +sa-ga-columns .*azure +\d{4}\/\d\d\/\d\d \d\d:\d\d:\d\d +succeeded +No$/,
  );
  assert.match(second, /failed \(provision\) +No$/);
  assert.match((await kcp('rt -g ga-columns --ops')).output, /EU ACCESS +KYMA VERSION/);
  assert.match((await kcp('rt -g ga-columns -o wide')).output, /INSTANCE ID/);
});

test('filters are repeated or separated by commas, and unknown states are refused', async () => {
  const one = await broker.instanceIn('ready', orderFor('ga-filter-1'));
  const two = await broker.instanceIn('provisioning', orderFor('ga-filter-2'));
  const ids = async (line: string) =>
    (await kcp(`runtimes ${line} -o json`))
      .json<Runtimes>()
      .data.map(({ instanceID }) => instanceID);
  assert.deepEqual(
    (await ids('-g ga-filter-1,ga-filter-2')).toSorted(),
    [one.id, two.id].toSorted(),
  );
  assert.deepEqual(await ids('-g ga-filter-1 -g ga-filter-2 --state provisioning'), [two.id]);
  assert.deepEqual(await ids(`--search ${one.id.slice(0, 13)}`), [one.id]);
  const wrong = await tried('runtimes --state broken');
  assert.equal(wrong.code, 2);
  assert.match(wrong.notes, /--state is broken: allowed are succeeded, failed/);
  assert.match((await tried('rt -S deprovisioned')).notes, /needs --instance-id/);
});

test('output is cut to the terminal and coloured there, plain and whole in a pipe', async () => {
  await broker.instanceIn('failed', orderFor('ga-wide'));
  const line = 'runtimes -g ga-wide';
  const narrow = (await kcp(line, { width: 100 })).output;
  assert.ok(narrow.includes('\u001B[31m'), 'a failure is red');
  const plain = (await kcp(line, { width: 100, environment: { NO_COLOR: '1' } })).output;
  assert.ok(!plain.includes('\u001B'));
  for (const each of plain.trimEnd().split('\n')) assert.ok(each.length <= 100, each);
  assert.ok(!(await kcp(line)).output.includes('…'));
});

test('custom columns, with and without headers', async () => {
  const { id } = await broker.instanceIn('ready', orderFor('ga-custom'));
  const line = 'runtimes -g ga-custom -o custom-columns=ID:instanceID,STATE:{.status.state}';
  assert.equal((await kcp(line)).output, `ID${' '.repeat(36)}STATE\n${id}  succeeded\n`);
  assert.equal((await kcp(`${line} --no-headers`)).output, `${id}  succeeded\n`);
});

test('a list shows so many as are wanted, and says what it leaves out', async () => {
  for (let count = 0; count < 3; count += 1) await broker.instanceIn('ready', orderFor('ga-pages'));
  const { output, notes } = await kcp('runtimes -g ga-pages --limit 2 --no-headers');
  assert.equal(output.trimEnd().split('\n').length, 2);
  assert.match(notes, /2 of 3; --all for all of them/);
  const all = await kcp('runtimes -g ga-pages --all --no-headers');
  assert.equal(all.output.trimEnd().split('\n').length, 3);
  assert.equal(all.notes, '');
});

test('one operation is shown with its stages, its explanation and its timeline', async () => {
  const { operation } = await broker.instanceIn('failed', orderFor('ga-one'));
  const { output } = await kcp(`operations ${operation}`);
  assert.match(output, /provision of .*: failed/);
  assert.match(output, /✓ begin/);
  assert.match(output, /STARTED +STAGE +STEP +OUTCOME +RUNS +TOOK +SYSTEM +BECAUSE/);
  assert.match(output, /steered +Steered_By_Test +fail .*the test wants it so/);
  assert.match(output, /what to do: /);
  const listed = await kcp('op -g ga-one --state failed');
  assert.match(listed.output, new RegExp(`${operation} +provision .*failed`));
});

test('an operation is followed until it has ended, line by line in a pipe', async () => {
  const { id, operation } = await broker.instanceIn('provisioning', orderFor('ga-watch'));
  const seen = Promise.withResolvers<void>();
  const watching = kcp(`operations ${operation} --watch -o json`, {
    onNote: (text) => text.includes('Steered_By_Test waits') && seen.resolve(),
  });
  await seen.promise;
  await broker.release(operation, `provision ${id}`);
  const { notes, json } = await watching;
  assert.match(
    notes,
    /^\d{4}\/\d\d\/\d\d \d\d:\d\d:\d\d provision in progress: Steered_By_Test waits for landscape: the test wants it so$/m,
  );
  assert.match(notes, /provision succeeded: /);
  assert.equal(json<{ state: string }>().state, 'succeeded');
});

test('on a terminal it is redrawn in place', async () => {
  const { id, operation } = await broker.instanceIn('provisioning', orderFor('ga-drawn'));
  const seen = Promise.withResolvers<void>();
  const watching = kcp(`operations ${operation} --watch`, {
    width: 80,
    onNote: (text) => text.includes('▸') && seen.resolve(),
  });
  await seen.promise;
  await broker.release(operation, `provision ${id}`);
  const { notes } = await watching;
  // oxlint-disable-next-line no-control-regex -- up by as many lines as were drawn before
  assert.match(notes, /\u001B\[\d+A\r\u001B\[2K/);
  assert.match(notes, /✓.* steered/);
});

test('a watched operation that fails ends kcp with exit code 5, and says why and what to do', async () => {
  const { operation } = await broker.instanceIn('failed', orderFor('ga-watch-failed'));
  const { code, notes } = await tried(`operations ${operation} --watch`);
  assert.equal(code, 5);
  assert.match(
    notes,
    new RegExp(`error: provision ${operation} failed: .*the test wants it so.*;`),
  );
});

test('Ctrl-C ends a watch, and nothing else', async () => {
  const { operation } = await broker.instanceIn('provisioning', orderFor('ga-ctrl-c'));
  const stop = new AbortController();
  const { code, notes } = await tried(`operations ${operation} --watch`, {
    signal: stop.signal,
    onNote: () => setImmediate(() => stop.abort()),
  });
  assert.equal(code, 130);
  assert.doesNotMatch(notes, /should not happen/);
  assert.equal((await broker.engine.get(operation))?.state, 'in progress');
});

test('retry asks first, says with --dry-run what it would do, and goes on where it failed', async () => {
  const { id, operation } = await broker.instanceIn('failed', orderFor('ga-retry'));
  const state = async () => (await broker.engine.get(operation))?.state;
  assert.match((await kcp(`retry ${operation} --dry-run`)).output, /^would do: /);
  const unasked = await tried(`retry ${operation}`);
  assert.equal(unasked.code, 2);
  assert.match(unasked.notes, /Nobody can be asked here: say --yes to go on/);
  const refused = await tried(`retry ${operation}`, { typed: 'n\n' });
  assert.equal(refused.code, 1);
  assert.match(refused.notes, /\[y\/N\].*nothing was done/s);
  assert.equal(await state(), 'failed');
  broker.steering.delete(`provision ${id}`);
  const { notes } = await kcp(`retry ${operation} --watch`, { typed: 'y\n' });
  assert.match(notes, /provision succeeded/);
  assert.equal(await state(), 'succeeded');
});

test('a step is skipped with a reason that stays on record, also after that was taken back once', async () => {
  const { operation } = await broker.instanceIn('failed', orderFor('ga-skip'));
  await kcp(`skip ${operation} Steered_By_Test --because "a mistake" --yes`);
  const { output: back } = await kcp(`unskip ${operation} Steered_By_Test --yes`);
  assert.match(back, /^Steered_By_Test is done once the operation is retried$/m);
  assert.equal((await tried(`unskip ${operation} Steered_By_Test --dry-run`)).code, 1);
  await kcp(`skip ${operation} Steered_By_Test --because "not needed today" --yes`);
  await kcp(`retry ${operation} --yes --watch`);
  const { output } = await kcp(`operations ${operation} -o json`);
  assert.match(output, /not needed today/);
  assert.equal((JSON.parse(output) as { state: string }).state, 'succeeded');
});

test('an operation is canceled', async () => {
  const { operation } = await broker.instanceIn('provisioning', orderFor('ga-cancel'));
  await kcp(`cancel ${operation} --because "wrong region" --yes`);
  const ended = await broker.pass(operation);
  assert.equal(ended.state, 'canceled');
  const again = await tried(`cancel ${operation} --yes`);
  assert.equal(again.code, 1);
  assert.match(again.notes, /409; operation .* has ended/);
});

test('what is not there ends with exit code 4', async () => {
  for (const line of [
    'operations 00000000-0000-0000-0000-000000000000',
    'orchestrations 00000000-0000-0000-0000-000000000000',
    'jobs runs no-such-job',
    'kubeconfig -c no-such-shoot',
    'deprovision -c no-such-shoot --yes',
  ]) {
    const { code, notes } = await tried(line);
    assert.equal(code, 4, `${line}: ${notes}`);
    assert.equal(notes.trimEnd().split('\n').length, 1, notes);
  }
});

test('whoever has no right is told which one is missing, with exit code 3', async () => {
  const { operation } = await broker.instanceIn('provisioning', orderFor('ga-rights'));
  await using viewer = await world.login('viewer');
  assert.equal((await viewer.kcp(['runtimes', '-g', 'ga-rights'])).code, 0);
  const { code, notes } = await viewer.kcp(['cancel', operation, '--yes']);
  assert.equal(code, 3);
  assert.match(
    notes,
    /403; this needs membership in runtimeAdmin or runtimeOperator; log in as somebody who may/,
  );
  await using guest = await world.login('guest');
  assert.equal((await guest.kcp(['runtimes'])).code, 3);
});

test('a token whose key is gone is replaced before anybody notices', async () => {
  await using viewer = await world.login('viewer');
  const path = viewer.path('.kcp/tokens.json');
  const spoiled = (await readFile(path, 'utf8')).replace(/("accessToken": "[^"]{20})/, '$1x');
  await writeFile(path, spoiled);
  assert.equal((await viewer.kcp(['runtimes', '--limit', '1'])).code, 0);
});

test('events, errors, types and versions are told', async () => {
  const { id } = await broker.instanceIn('failed', orderFor('ga-told'));
  const { output: events } = await kcp(`events -i ${id}`);
  assert.match(events, /^TIME +LEVEL +INSTANCE ID +MESSAGE$/m);
  assert.match(events, /error +\S+ +Steered_By_Test: fail/);
  const { output: tree } = await kcp(`runtimes -i ${id} --events`);
  assert.match(tree, /├─ provision .* failed/);
  assert.match(tree, /error {2}\d+\w ago/);
  assert.match((await kcp('errors --since 1h')).output, /^COUNT +RUNTIMES +OPEN +CLASS/);
  assert.match((await kcp('operations types')).output, /provision +steered +Steered_By_Test/);
  assert.match((await kcp('version')).output, /^kcp 1\.2\.3\nbroker \S+\n$/);
});

test('events are followed as they happen', async () => {
  const { id, operation } = await broker.instanceIn('provisioning', orderFor('ga-live'));
  const stop = new AbortController();
  const told: string[] = [];
  const watching = tried(`events --watch -i ${id}`, {
    signal: stop.signal,
    onOutput: (text) => told.push(text),
  });
  // Something happens again and again, until the stream is open and tells of it.
  while (told.length === 0) {
    await broker.engine.wake(operation);
    await broker.pass(operation, ({ due_at }) => told.length > 0 || due_at !== null);
  }
  stop.abort();
  const { code, output } = await watching;
  assert.equal(code, 130);
  assert.match(output, new RegExp(`${id} {2}provision {2}(?:waiting|step|claimed)`));
});

test('jobs are listed, run by hand, and their runs are told', async () => {
  const { output } = await kcp('jobs');
  assert.match(output, /^JOB +SCHEDULE +ENABLED +DRY RUN +LAST RUN +STATE +NEXT RUN +SUMMARY$/m);
  const [name = ''] = /^[\w-]*cleanup/m.exec(output) ?? [];
  const started = (await kcp(`jobs run ${name} --dry-run -o json`)).json<{ operationID: string }>();
  await broker.pass(started.operationID);
  assert.match((await kcp(`jobs runs ${name}`)).output, /by hand \(admin\) +true +succeeded/);
});

test('what was done is in the audit log, and the log is whole', async () => {
  const { operation } = await broker.instanceIn('provisioning', orderFor('ga-audit'));
  await kcp(`cancel ${operation} --yes --because audited`);
  const { output } = await kcp('audit --actor admin --since 1h -o wide --all');
  assert.match(output, /^TIME +ACTOR +CLIENT +ACTION/m);
  assert.match(output, new RegExp(`admin +kcp +POST /operations/\\S+/cancel +${operation}`));
  assert.match((await kcp('audit verify')).output, /the audit log is whole: \d+ entries/);
});
