import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { minutes, seconds } from '#time';
import { startKept } from '../kept-landscape.ts';
import { SimulatedTime } from '../simulated-time.ts';
import { startLandscape } from '../testing.ts';
import { reconciler } from './testing.ts';

// Stands still: time passes only where a test lets it.
const landscape = await startLandscape({ systems: [reconciler], speed: 1e-9 });
after(() => landscape[Symbol.asyncDispose]());

type Json = Readonly<Record<string, unknown>>;
type Operation = { component: string; correlationID: string; state: string; reason: string };
type Info = Json & { status: string; operations: Operation[] };
type Reconciliation = { schedulingID: string; status: string; lock: string; finished: boolean };

const asked = async (method: string, path: string, body?: object) => {
  const response = await fetch(`${landscape.url}/reconciler/v1${path}`, {
    method,
    headers: body ? { 'content-type': 'application/json' } : {},
    ...(body && { body: JSON.stringify(body) }),
  });
  return { status: response.status, text: await response.text() };
};
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- as the test expects it
const get = async <Answer = Json>(path: string): Promise<Answer> => {
  const { status, text } = await asked('GET', path);
  assert.equal(status, 200, `${path}: ${text}`);
  return JSON.parse(text) as Answer;
};
const configuration = (runtimeID: string, version = '2.4.0') => ({
  runtimeID,
  runtimeInput: { name: 'demo', description: '' },
  kymaConfig: {
    version,
    profile: 'Production',
    components: [{ component: 'istio' }, { component: 'serverless' }],
    administrators: ['admin@example.com'],
  },
  metadata: { shootName: `c-${runtimeID}` },
  kubeconfig: 'kind: Config',
});
const apply = (runtimeID: string, version?: string) =>
  asked('POST', '/clusters', configuration(runtimeID, version));
const set = (runtimeID: string, status: string) =>
  asked('PUT', `/clusters/${runtimeID}/status`, { status });
const of = (runtimeID: string, more = '') =>
  get<Reconciliation[]>(`/reconciliations?runtimeID=${runtimeID}${more}`);
const infoOf = async (runtimeID: string) => {
  const [latest] = await of(runtimeID);
  return get<Info>(`/reconciliations/${latest?.schedulingID}/info`);
};
const states = ({ operations }: Info) => operations.map(({ state }) => state);

test('a configuration is brought to a cluster by a reconciliation, component by component', async () => {
  await apply('course');
  const [begun] = await of('course');
  assert.equal(begun?.lock, 'course');
  assert.match(begun.schedulingID, /^course--[\da-f-]{36}$/);
  assert.deepEqual(states(await infoOf('course')), ['new', 'new']);
  landscape.time.advance(seconds(15));
  assert.deepEqual(states(await infoOf('course')), ['in_progress', 'new']);
  landscape.time.advance(seconds(90));
  assert.deepEqual(states(await infoOf('course')), ['done', 'in_progress']);
  landscape.time.advance(minutes(2));
  const { operations, ...info } = await infoOf('course');
  assert.equal(info.status, 'ready');
  assert.equal(info['finished'], true);
  assert.deepEqual(
    operations.map(({ component, state }) => [component, state]),
    [
      ['istio', 'done'],
      ['serverless', 'done'],
    ],
  );
  const [ended] = await of('course');
  assert.equal(ended?.lock, '');
});

test('a cluster that is disabled stays so when a configuration is posted, and goes on when it is enabled', async () => {
  await apply('off');
  await set('off', 'reconcile_disabled');
  const posted = await apply('off', '2.5.0');
  assert.match(posted.text, /"status":"reconcile_disabled"/);
  landscape.time.advance(minutes(10));
  assert.equal((await get('/clusters/off/status'))['status'], 'reconcile_disabled');
  const [first, ...others] = await of('off');
  assert.deepEqual([first?.status, first?.finished], ['reconcile_disabled', true]);
  assert.deepEqual(others, [], 'nothing was begun meanwhile');
  assert.deepEqual(states(await infoOf('off')), ['orphan', 'orphan']);
  await set('off', 'reconcile_pending');
  landscape.time.advance(minutes(4));
  assert.deepEqual(
    (await of('off')).map(({ status }) => status),
    ['ready', 'reconcile_disabled'],
  );
});

test('all statuses are told, the newest first, with how long each lasted', async () => {
  await apply('history');
  landscape.time.advance(minutes(5));
  await set('history', 'reconcile_disabled');
  landscape.time.advance(minutes(1));
  type Changes = { statusChanges: { status: string; duration: number }[] };
  const told = async (query = '') => {
    const { statusChanges } = await get<Changes>(`/clusters/history/statusChanges${query}`);
    return statusChanges.map(({ status, duration }) => `${status} ${Math.round(duration / 1e9)}s`);
  };
  assert.deepEqual(await told(), [
    'reconcile_disabled 60s',
    'ready 120s',
    'reconciling 170s',
    'reconcile_pending 10s',
  ]);
  assert.deepEqual(await told('?offset=1m30s'), ['reconcile_disabled 60s']);
});

test('a cluster is found by its id, and by those of its reconciliations and operations', async () => {
  await apply('found');
  await apply('found', '2.5.0');
  const [, older] = await of('found');
  const [operation] = (await infoOf('found')).operations;
  type State = Record<'cluster' | 'configuration' | 'status', Json>;
  const state = (query: string) => get<State>(`/clusters/state?${query}`);
  const latest = await state('runtimeID=found');
  assert.equal(latest.configuration['kymaVersion'], '2.5.0');
  assert.equal(latest.configuration['kymaProfile'], 'Production');
  assert.equal(latest.status['status'], 'reconcile_pending');
  assert.equal(latest.cluster['runtimeID'], 'found');
  assert.deepEqual(await state(`correlationID=${operation?.correlationID}`), latest);
  const before = await state(`schedulingID=${older?.schedulingID}`);
  assert.equal(before.configuration['kymaVersion'], '2.4.0');
  const version = String(before.configuration['version']);
  const { kymaConfig } = configuration('found');
  assert.deepEqual(await get(`/clusters/found/config/${version}`), kymaConfig);
});

test('reconciliations are found by cluster, status and time, and the last ones come first', async () => {
  await apply('one');
  landscape.time.advance(minutes(4));
  await apply('two');
  const meant = async (query: string) =>
    (await of('one', `&runtimeID=two${query}`)).map(({ status }) => status);
  landscape.time.advance(1);
  const between = landscape.time.date();
  landscape.time.advance(1);
  await apply('one', '2.5.0');
  assert.deepEqual(await meant(''), ['reconcile_pending', 'reconcile_pending', 'ready']);
  assert.deepEqual(await meant('&status=ready&status=error'), ['ready']);
  assert.deepEqual(await meant('&last=1'), ['reconcile_pending']);
  assert.equal((await meant(`&after=${between.toISOString()}`)).length, 1);
  assert.equal((await meant(`&before=${between.toISOString()}`)).length, 2);
});

test('an operation that has not begun can be left out; one that has cannot', async () => {
  await apply('stopped');
  landscape.time.advance(seconds(15));
  const { schedulingID, operations } = await infoOf('stopped');
  const [running, waiting] = operations;
  const stop = (id = '') =>
    asked('POST', `/operations/${String(schedulingID)}/${id}/stop`, { reason: 'not needed' });
  assert.equal((await stop(running?.correlationID)).status, 403);
  assert.equal((await stop(waiting?.correlationID)).status, 200);
  const [, left] = (await infoOf('stopped')).operations;
  assert.deepEqual([left?.state, left?.reason], ['done', 'not needed']);
});

test('a version that cannot be installed fails at the first component that nobody has left out', async () => {
  await fetch(`${landscape.url}/reconciler/versions/2.9.9`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: '{"isBroken":true}',
  });
  await apply('broken', '2.9.9');
  const { schedulingID, operations } = await infoOf('broken');
  const path = `/operations/${String(schedulingID)}/${operations[0]?.correlationID}/stop`;
  await asked('POST', path, { reason: '' });
  landscape.time.advance(minutes(4));
  assert.deepEqual(states(await infoOf('broken')), ['done', 'error']);
  const { failures } = await get('/clusters/broken/status');
  assert.deepEqual(failures, [{ component: 'serverless', reason: 'timeout' }]);
});

test('logs of one operation or of all are switched on, and purged reconciliations are gone', async () => {
  await apply('logged');
  const { schedulingID, operations } = await infoOf('logged');
  const debugged = () => {
    const all = landscape.inventory()['reconciler']?.['clusters'] as Json[];
    const { debugged: told } = all.find(({ runtimeID }) => runtimeID === 'logged') ?? {};
    return ((told ?? []) as Operation[]).map(({ component }) => component);
  };
  const one = `/operations/${String(schedulingID)}/${operations[1]?.correlationID}/debug`;
  assert.equal((await asked('PUT', one)).status, 200);
  assert.deepEqual(debugged(), ['serverless']);
  await asked('PUT', `/reconciliations/${String(schedulingID)}/debug`);
  assert.deepEqual(debugged().toSorted(), ['istio', 'serverless']);
  assert.equal((await asked('DELETE', '/reconciliations/cluster/logged')).status, 200);
  assert.deepEqual(await of('logged'), []);
  assert.equal((await get('/clusters/logged/status'))['status'], 'reconcile_pending');
});

for (const [method, path, status, complaint] of [
  ['GET', '/clusters/state', 400, /one of runtimeID, schedulingID and correlationID/],
  ['GET', '/clusters/state?runtimeID=nobody', 404, /cluster not found/],
  ['GET', '/clusters/nobody/statusChanges', 404, /cluster not found/],
  ['GET', '/clusters/nobody/statusChanges?offset=soon', 400, /offset must be a duration/],
  ['GET', '/clusters/nobody/config/1', 404, /configuration not found/],
  ['GET', '/clusters/nobody/config/first', 400, /whole number/],
  ['GET', '/reconciliations?status=fine', 400, /ready/],
  ['GET', '/reconciliations?before=yesterday', 400, /before/],
  ['GET', '/reconciliations?last=some', 400, /whole number/],
  ['GET', '/reconciliations/nothing/info', 404, /reconciliation not found/],
  ['PUT', '/reconciliations/nothing/debug', 404, /reconciliation not found/],
  ['PUT', '/operations/nothing/nothing/debug', 404, /operation not found/],
  ['POST', '/operations/nothing/nothing/stop', 400, /expected object/],
] as const)
  test(`${method} ${path} is refused with ${status}`, async () => {
    const answer = await asked(method, path);
    assert.equal(answer.status, status);
    assert.match((JSON.parse(answer.text) as { error: string }).error, complaint);
  });

test('reconciliations are still there after a restart, as they were left', async () => {
  await using kept = await startKept({ systems: [reconciler], speed: 1e-9 });
  await kept.call('reconciler', 'POST', '/v1/clusters', configuration('kept'));
  kept.landscape.time.advance(seconds(15));
  const list = async () =>
    (await fetch(`${kept.landscape.url}/reconciler/v1/reconciliations`)).json() as Promise<
      Reconciliation[]
    >;
  const before = await list();
  assert.equal(before[0]?.status, 'reconciling');
  await kept.restart();
  assert.deepEqual(await list(), before);
});

test('a state that was kept before there were reconciliations can be read', () => {
  const time = new SimulatedTime(1);
  const unused = () => assert.fail('not asked for');
  const system = reconciler({
    time,
    url: unused,
    secureUrl: unused,
    certificate: '',
    caller: unused,
  });
  const { kubeconfig: _, ...stored } = configuration('old');
  const version = { number: 7, clusterVersion: 3, configuration: stored, askedBy: 'somebody' };
  system.state?.restore({
    clusters: new Map([['old', [{ ...version, status: 'ready', since: 0, isBroken: false }]]]),
    last: { cluster: 3, configuration: 7 },
    brokenVersions: new Set(),
  });
  const [cluster] = system.inventory()['clusters'] as Json[];
  assert.deepEqual([cluster?.['status'], cluster?.['configurationVersion']], ['ready', 7]);
});
