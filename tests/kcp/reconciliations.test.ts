// kcp against the Reconciler alone: nobody is logged in, and there is no broker.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { minutes, seconds } from '#time';
import { startMachine, type KcpOptions } from '../../src/cli/testing.ts';
import { reconciler } from '../../src/landscape/reconciler/testing.ts';
import { startLandscape } from '../../src/landscape/testing.ts';

// Stands still: time passes only where a test lets it.
const landscape = await startLandscape({ systems: [reconciler], speed: 1e-9 });
const mothership = `${landscape.url}/reconciler`;
const machine = await startMachine({ KCP_MOTHERSHIP_API_URL: mothership });
after(async () => {
  await machine[Symbol.asyncDispose]();
  await landscape[Symbol.asyncDispose]();
});

const tried = (line: string, options: KcpOptions = {}) => machine.kcp(line.split(' '), options);
const kcp = async (line: string, options: KcpOptions = {}) => {
  const run = await tried(line, options);
  assert.equal(run.code, 0, `kcp ${line}: ${run.notes}`);
  return run;
};
const apply = async (runtimeID: string, version = '2.4.0') => {
  const configuration = [{ key: 'password', value: 'canary-of-the-cluster', secret: true }];
  const response = await fetch(`${mothership}/v1/clusters`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      runtimeID,
      runtimeInput: { name: 'demo', description: '' },
      kymaConfig: {
        version,
        profile: 'Production',
        components: [{ component: 'istio', configuration }, { component: 'serverless' }],
      },
      metadata: { shootName: `c-${runtimeID}` },
      kubeconfig: 'kind: Config',
    }),
  });
  assert.ok(response.ok, await response.text());
};
const statusOf = async (runtimeID: string) =>
  (await kcp(`rc state -r ${runtimeID} -o custom=S:status.status --no-headers`)).output.trim();
const listed = async (line: string) =>
  (await kcp(`rc ${line} -o json`)).json<{ schedulingID: string; runtimeID: string }[]>();
const scheduled = async (runtimeID: string) =>
  (await listed(`-r ${runtimeID} --last 1`))[0]?.schedulingID ?? assert.fail(runtimeID);
const operationsOf = async (schedulingID: string) =>
  (await kcp(`rc info -i ${schedulingID} -o json`)).json<{
    operations: { component: string; correlationID: string; state: string; reason: string }[];
  }>().operations;

test('reconciliations are listed, the newest last, with the columns that operators know', async () => {
  await apply('listed');
  landscape.time.advance(minutes(4));
  await apply('listed', '2.5.0');
  const { output } = await kcp('reconciliations -r listed');
  const [header = '', first = '', second = ''] = output.split('\n');
  assert.match(header, /^SCHEDULING ID +RUNTIME ID +CREATED AT +UPDATED +STATUS +LOCK$/);
  const time = String.raw`\d{4}/\d\d/\d\d \d\d:\d\d:\d\d`;
  assert.match(first, new RegExp(`^listed--\\S{36} +listed +${time} +${time} +ready$`));
  assert.match(second, new RegExp(`${time} +reconcile_pending +listed$`));
  assert.match((await kcp('rc -r listed -o wide')).output, /LOCK +FINISHED\n.*Yes\n.*No\n/);
});

test('the list is narrowed by cluster, status, time and number', async () => {
  await apply('narrow-1');
  landscape.time.advance(minutes(4));
  await apply('narrow-2');
  const ids = async (line: string) =>
    (await listed(`-r narrow-1,narrow-2 ${line}`)).map(({ runtimeID }) => runtimeID);
  // The landscape's clock is ahead of the user's by as much as it was moved.
  const between = new Date(landscape.time.date().getTime() - minutes(2)).toISOString();
  const shown = between.slice(0, 19).replace('T', ' ').replaceAll('-', '/');
  assert.deepEqual(await ids('--last 2'), ['narrow-1', 'narrow-2']);
  assert.deepEqual(await ids('--last 1'), ['narrow-2']);
  assert.deepEqual(await ids('--status ready,error'), ['narrow-1']);
  assert.deepEqual(await ids(`--after ${between}`), ['narrow-2']);
  const before = ['rc', '-r', 'narrow-1,narrow-2', '--before', shown, '--no-headers'];
  assert.match((await machine.kcp(before)).output, /^narrow-1--[^\n]*\n$/);
  assert.deepEqual(await ids('--before 2020/01/01'), []);
});

test('a cluster is shown by its id, and by those of a reconciliation and of an operation', async () => {
  await apply('shown');
  const schedulingID = await scheduled('shown');
  const [operation] = await operationsOf(schedulingID);
  const { output } = await kcp('rc s -r shown');
  assert.match(
    output,
    /^RUNTIME ID +KYMA VERSION +KYMA PROFILE +STATUS +DELETED +CREATED AT\nshown +2\.4\.0 +Production +reconcile_pending +No +\d{4}\/\S+ \S+\n$/,
  );
  assert.equal((await kcp(`rc state --scheduling-id ${schedulingID}`)).output, output);
  assert.equal((await kcp(`rc state --correlation-id ${operation?.correlationID}`)).output, output);
  assert.match((await kcp('rc state -r shown -o wide')).output, /SHOOT .*\n.* c-shown /);
});

test('the operations of a reconciliation are shown, and no secret of its configuration is', async () => {
  await apply('told');
  const schedulingID = await scheduled('told');
  const table = (await kcp(`rc i -i ${schedulingID}`)).output;
  assert.match(
    table,
    /^COMPONENT +CORRELATION_ID +SCHEDULING_ID +PRIORITY +STATE +CREATED AT +UPDATED +REASON\nistio +told--\S+ +told--\S+ +1 +new .*\nserverless /,
  );
  const all = await Promise.all(
    [
      `rc info -i ${schedulingID} -o json`,
      'rc state -r told -o json',
      'rc state -r told -o custom=C:configuration.components',
    ].map((line) => kcp(line)),
  );
  for (const { output } of all) {
    assert.match(output, /<hidden>/);
    assert.doesNotMatch(output, /canary/);
  }
});

test('a cluster is disabled and enabled after a question, and with --force it is reconciled at once', async () => {
  await apply('switched');
  landscape.time.advance(minutes(4));
  assert.match(
    (await kcp('rc disable -r switched --dry-run')).output,
    /^would disable .*ready now/,
  );
  assert.equal((await tried('rc disable -r switched', { typed: 'no\n' })).code, 1);
  assert.equal((await tried('rc d -r switched')).code, 2, 'nobody can be asked');
  assert.equal(await statusOf('switched'), 'ready');
  await kcp('rc d -r switched', { typed: 'y\n' });
  await apply('switched', '2.5.0');
  assert.equal(await statusOf('switched'), 'reconcile_disabled');
  assert.match((await kcp('rc d -r switched --yes')).output, /disabled already: nothing to do/);
  await kcp('rc enable -r switched --yes');
  assert.equal(await statusOf('switched'), 'ready');
  assert.match(
    (await kcp('rc e -r switched --yes')).output,
    /not disabled \(ready\): nothing to do/,
  );
  await kcp('rc e -r switched -f --yes');
  assert.equal(await statusOf('switched'), 'reconcile_pending');
});

test('a cluster that is being removed is left as it is', async () => {
  await apply('leaving');
  await fetch(`${mothership}/v1/clusters/leaving`, { method: 'DELETE' });
  for (const line of ['rc disable -r leaving --yes', 'rc enable -r leaving --force --yes']) {
    const { code, notes } = await tried(line);
    assert.equal(code, 1);
    assert.match(notes, /cluster leaving is being removed \(delete_pending\): nothing was done/);
  }
  assert.equal(await statusOf('leaving'), 'delete_pending');
});

test('an operation that has not begun is left out, with the reason; one that has is not', async () => {
  await apply('stopped');
  landscape.time.advance(seconds(15));
  const schedulingID = await scheduled('stopped');
  const [running, waiting] = await operationsOf(schedulingID);
  const stop = (id = '') => `rc operation stop -s ${schedulingID} -c ${id} --because unneeded`;
  const refused = await tried(`${stop(running?.correlationID)} --yes`);
  assert.equal(refused.code, 1);
  assert.match(refused.notes, /istio is in_progress: only a new one can be stopped/);
  assert.match(
    (await kcp(`${stop(waiting?.correlationID)} --dry-run`)).output,
    /^would leave out serverless/,
  );
  await kcp(`${stop(waiting?.correlationID)} --yes`);
  const [, left] = await operationsOf(schedulingID);
  assert.deepEqual([left?.state, left?.reason], ['done', 'unneeded']);
});

test('logs tell more of one operation or of all, and reconciliations are purged', async () => {
  await apply('logged');
  const schedulingID = await scheduled('logged');
  const [istio] = await operationsOf(schedulingID);
  const debugged = () => {
    const all = landscape.inventory()['reconciler']?.['clusters'] ?? [];
    const found = all.find((each) => (each as { runtimeID: string }).runtimeID === 'logged');
    const { debugged: told = [] } = found as { debugged?: { component: string }[] };
    return told.map(({ component }) => component);
  };
  await kcp(`rc operation debug -s ${schedulingID} -c ${istio?.correlationID} --yes`);
  assert.deepEqual(debugged(), ['istio']);
  await kcp(`rc debug -s ${schedulingID} --yes`);
  assert.deepEqual(debugged(), ['istio', 'serverless']);
  assert.match(
    (await kcp('rc purge -r logged --dry-run')).output,
    /^would remove 1 reconciliation\(s\) of cluster logged$/m,
  );
  await kcp('rc purge -r logged --yes');
  assert.deepEqual(await listed('-r logged'), []);
  assert.equal((await tried('rc purge -r logged --yes')).code, 4);
});

for (const [line, code, complaint] of [
  ['rc --status fine', 2, /--status is fine: allowed are ready, error/],
  ['rc --before soon', 2, /--before is soon: write 2026\/11\/15 13:00:00/],
  ['rc --after 2026/13/45', 2, /--after is 2026\/13\/45/],
  ['rc --last 0', 2, /--last is 0: allowed are whole numbers/],
  ['rc disable --yes', 2, /which cluster\? Give either --runtime-id or --shoot/],
  ['rc state -r a --scheduling-id b', 2, /Give one of --runtime-id, --shoot, --scheduling-id/],
  ['rc info', 2, /required option '-i, --scheduling-id <id>'/],
  ['rc state -r nobody', 4, /GET \S+ 404; cluster not found$/m],
  ['rc info -i nothing', 4, /404; reconciliation not found$/m],
  ['rc operation stop -s nothing -c nothing --yes', 4, /404; reconciliation not found$/m],
  ['rc disable -c c-1 --yes', 2, /missing required options: .*keb-api-url/],
] as const)
  test(`kcp ${line} is refused`, async () => {
    const run = await tried(line);
    assert.equal(run.code, code, run.notes);
    assert.match(run.notes, complaint);
    assert.equal(run.notes.trimEnd().split('\n').length, 1);
  });

test('without the address of the Reconciler it is said which setting is missing', async () => {
  const { code, notes } = await tried('rc', { environment: { KCP_MOTHERSHIP_API_URL: '' } });
  assert.equal(code, 2);
  assert.match(notes, /missing required options: mothership-api-url/);
});

test('the address may name the version of the API, as older configurations do', async () => {
  await kcp('rc --last 1', { environment: { KCP_MOTHERSHIP_API_URL: `${mothership}/v1/` } });
});

for (const [status, body, complaint] of [
  [500, '{"error":"the database is away"}', /GET \S+: 500; the database is away$/m],
  [403, '{"error":"not here"}', /GET \S+: 403; not here$/m],
  [200, '<html>Welcome</html>', /answered something else than JSON: is this the Reconciler/],
  [200, '{"data":[]}', /not of its API \(a list is missing\): is mothership-api-url right/],
  [200, '[{"id":1}]', /not of its API \(a text as schedulingID is missing\)/],
] as const)
  test(`an answer of ${status} with ${body} is told in one line`, async () => {
    const action = { kind: 'answer', status, body, headers: {} } as const;
    landscape.faults.add({ system: 'reconciler', count: 1, probability: 1, action });
    const { code, notes, output } = await tried('rc');
    assert.equal(code, 1);
    assert.match(notes, complaint);
    assert.equal(notes.trimEnd().split('\n').length, 1);
    assert.equal(output, '');
  });
