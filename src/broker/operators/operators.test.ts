import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { orderOf, startApi, type OsbAnswer } from '../api/testing.ts';

let world: Awaited<ReturnType<typeof startApi>>;
before(async () => {
  world = await startApi({ api: { version: '1.2.3' } });
});
after(() => world[Symbol.asyncDispose]());

const get = (path: string) => world.call('GET', path);
const post = (path: string, body: object = {}) => world.call('POST', path, { body });
const dataOf = ({ text }: OsbAnswer) => (JSON.parse(text) as { data: Item[] }).data;
type Item = {
  instanceID: string;
  operationID: string;
  state: string;
  status: { state: string; explanation?: { activity: string } };
  explanation: { activity: string; action?: string; class?: string };
};

test('what a runtime is called follows from what was last done to it', async () => {
  for (const [given, state] of [
    ['ready', 'succeeded'],
    ['provisioning', 'provisioning'],
    ['failed', 'failed'],
    ['deprovisioning', 'deprovisioning'],
    ['deprovision failed', 'failed'],
  ] as const) {
    const { id } = await world.instanceIn(given);
    const [item] = dataOf(await get(`/runtimes?instance_id=${id}`));
    assert.equal(item?.status.state, state, given);
    assert.equal(dataOf(await get(`/runtimes?instance_id=${id}&state=${state}`)).length, 1, given);
    const others = await get(`/runtimes?instance_id=${id}&state=upgrading,suspended`);
    assert.equal(dataOf(others).length, 0, given);
  }
  const { id } = await world.instanceIn('ready');
  await world.beginUpdate(id);
  const [item] = dataOf(await get(`/runtimes?instance_id=${id}`));
  assert.equal(item?.status.state, 'updating');
  assert.ok(item?.status.explanation);
});

test('runtimes are filtered, searched, sorted and paged', async () => {
  const ids: string[] = [];
  for (let number = 0; number < 3; number += 1) {
    const context = {
      globalaccount_id: `ga-list`,
      subaccount_id: `sa-list-${number}`,
      user_id: 'someone@example.com',
    };
    const parameters = { name: `Listed-${number}` };
    ids.push((await world.instanceIn('ready', orderOf({ context, parameters }))).id);
  }
  const found = async (query: string) =>
    dataOf(await get(`/runtimes?account=ga-list&${query}`)).map(({ instanceID }) => instanceID);
  assert.deepEqual(await found(''), ids);
  assert.deepEqual(await found('sort=-createdAt'), ids.toReversed());
  assert.deepEqual(await found('subaccount=sa-list-0,sa-list-2'), [ids[0], ids[2]]);
  assert.deepEqual(await found('subaccount=sa-list-0&subaccount=sa-list-1'), [ids[0], ids[1]]);
  assert.deepEqual(await found('search=listed-1'), [ids[1]]);
  assert.deepEqual(await found('search=100%25'), []);
  assert.deepEqual(await found('plan=aws'), []);
  assert.deepEqual(await found('attention=stuck'), []);
  assert.deepEqual(await found('page=2&page_size=2'), [ids[2]]);
  const first = await get('/runtimes?account=ga-list&page_size=2');
  assert.deepEqual([first.body['count'], first.body['totalCount']], [2, 3]);
  assert.deepEqual(await found(`page_size=2&cursor=${String(first.body['nextCursor'])}`), [ids[2]]);
  for (const sort of ['modifiedAt', 'region', 'plan', 'account', 'shoot', 'state'])
    assert.equal((await found(`sort=${sort}`)).length, 3, sort);
});

test('runtimes sorted by state are sorted by the state that they show, from page to page too', async () => {
  const order = orderOf({ context: { ...orderOf().context, globalaccount_id: 'ga-sort' } });
  for (const state of ['ready', 'failed', 'provisioning', 'deprovisioning', 'ready'] as const)
    await world.instanceIn(state, order);
  await world.beginUpdate((await world.instanceIn('ready', order)).id);
  const shown: string[] = [];
  for (let cursor = ''; ;) {
    const page = await get(`/runtimes?account=ga-sort&sort=state&page_size=2${cursor}`);
    assert.equal(page.body['totalCount'], 6);
    shown.push(...dataOf(page).map(({ status }) => status.state));
    const { nextCursor } = page.body as { nextCursor?: string };
    if (nextCursor === undefined) break;
    cursor = `&cursor=${nextCursor}`;
  }
  assert.deepEqual(shown, [
    'deprovisioning',
    'failed',
    'provisioning',
    'succeeded',
    'succeeded',
    'updating',
  ]);
  const back = dataOf(await get('/runtimes?account=ga-sort&sort=-state'));
  assert.deepEqual(
    back.map(({ status }) => status.state),
    shown.toReversed(),
  );
});

test('a search tells how many it has found, on whichever page', async () => {
  const name = 'Needle-in-a-haystack';
  for (let number = 0; number < 3; number += 1)
    await world.instanceIn('ready', orderOf({ parameters: { name } }));
  for (const [query, count] of [
    ['', 3],
    ['&page_size=3', 3],
    ['&page_size=2', 2],
    ['&page_size=2&page=2', 1],
    ['&page_size=2&page=3', 0],
  ] as const) {
    const { body } = await get(`/runtimes?search=needle-in${query}`);
    assert.deepEqual([body['count'], body['totalCount']], [count, 3], query);
  }
});

for (const [query, message] of [
  ['page_size=101', /pageSize is bigger than maxPage\(100\)/],
  ['page=0', /page cannot be smaller than 1/],
  ['sort=colour', /sort is "colour": expected one of createdAt/],
  ['attention=noise', /attention is "noise": expected retrying, stuck, residue/],
  ['cursor=nonsense', /cursor: expected nextCursor of a page/],
  ['op_detail=some', /op_detail is "some": expected all or last/],
] as const)
  test(`runtimes with ${query} are refused with 400, and it is said why`, async () => {
    const { status, body } = await get(`/runtimes?${query}`);
    assert.equal(status, 400);
    assert.match(String(body['error']), message);
  });

test('one runtime has its operations with it, and the same list for itself', async () => {
  const { id, operation } = await world.instanceIn('ready');
  const { status, body } = await get(`/runtimes/${id}`);
  assert.equal(status, 200);
  const { provisioning } = body['status'] as { provisioning: { operationID: string } };
  assert.equal(provisioning.operationID, operation);
  assert.deepEqual(
    dataOf(await get(`/runtimes/${id}/operations`)).map(({ operationID }) => operationID),
    [operation],
  );
  for (const path of ['/runtimes/nobody', '/runtimes/nobody/operations'])
    assert.equal((await get(path)).status, 404);
});

test('all runtimes in brief are one list, oldest first', async () => {
  const { id } = await world.instanceIn('ready');
  const all = JSON.parse((await get('/info/runtimes')).text) as { serviceInstanceId: string }[];
  assert.equal(all.at(-1)?.serviceInstanceId, id);
});

test('operations are filtered by what they are and what they do', async () => {
  const { id, operation } = await world.instanceIn('provisioning');
  const found = async (query: string) =>
    dataOf(await get(`/operations?instance_id=${id}&${query}`)).map((each) => each.operationID);
  assert.deepEqual(await found(''), [operation]);
  assert.deepEqual(await found('state=in progress&type=provision'), [operation]);
  assert.deepEqual(await found('state=failed'), []);
  assert.deepEqual(await found('runtime_id=nobody'), []);
  assert.deepEqual(await found('orchestration_id=nobody'), []);
  const { status, body } = await get('/operations?state=lost');
  assert.equal(status, 400);
  assert.match(String(body['error']), /state is "lost": expected pending, in progress/);
});

test('one operation tells its stages and its timeline', async () => {
  const { operation } = await world.instanceIn('ready');
  const { body } = await get(`/operations/${operation}`);
  const stages = body['stages'] as { state: string; steps: unknown[] }[];
  assert.ok(stages.length > 0 && stages.every(({ state }) => state === 'finished'));
  assert.equal((body['timeline'] as unknown[]).length, body['timelineTotal']);
  const rest = dataOf(await get(`/operations/${operation}/timeline?after=1`));
  assert.equal(rest.length, Number(body['timelineTotal']) - 1);
  assert.equal((await get(`/operations/${operation}/timeline?limit=0`)).status, 400);
  for (const id of ['nobody', '00000000-0000-4000-8000-000000000000'])
    assert.equal((await get(`/operations/${id}`)).status, 404);
});

test('what can be done to runtimes is told with its stages and steps', async () => {
  const types = JSON.parse((await get('/operations/types')).text) as {
    type: string;
    stages: { steps: { name: string }[] }[];
  }[];
  const provision = types.find(({ type }) => type === 'provision');
  assert.ok(provision?.stages[0]?.steps[0]?.name);
});

test('a failed operation is retried, after a dry run that changes nothing', async () => {
  const { id, operation } = await world.instanceIn('failed');
  const dry = await post(`/operations/${operation}/retry`, { dryRun: true });
  assert.deepEqual([dry.status, dry.body['dryRun']], [202, true]);
  assert.match(String(dry.body['effect']), /^goes on from stage /);
  assert.equal((await get(`/operations/${operation}`)).body['state'], 'failed');
  world.steering.delete(`provision ${id}`);
  const real = await post(`/operations/${operation}/retry`, { because: 'mended' });
  assert.equal(real.status, 202);
  assert.equal((await world.pass(operation)).state, 'succeeded');
  const again = await post(`/operations/${operation}/retry`);
  assert.equal(again.status, 409);
  assert.match(String(again.body['error']), /has succeeded/);
});

test('an operation is canceled once, and a step is only left out with a reason', async () => {
  const { operation } = await world.instanceIn('provisioning');
  const at = `/operations/${operation}`;
  assert.match(
    String((await post(`${at}/skip`, { step: 'Nobody' })).body['error']),
    /because missing/,
  );
  const unknown = await post(`${at}/skip`, { step: 'Nobody', because: 'so' });
  assert.equal(unknown.status, 409);
  assert.match(String(unknown.body['error']), /is not known; its steps are/);
  assert.equal((await post(`${at}/cancel`)).status, 400);
  assert.equal((await post(`${at}/cancel`, { because: 'no', dryRun: true })).status, 202);
  assert.equal((await get(at)).body['state'], 'in progress');
  assert.equal((await post(`${at}/cancel`, { because: 'not wanted' })).status, 202);
  await world.pass(operation);
  assert.equal((await post(`${at}/cancel`, { because: 'not wanted' })).status, 409);
});

test('a step that is to be left out is shown as such, until somebody takes that back', async () => {
  const { operation } = await world.instanceIn('failed');
  const at = `/operations/${operation}`;
  const step = 'Steered_By_Test';
  assert.equal((await post(`${at}/unskip`, {})).status, 400);
  const early = await post(`${at}/unskip`, { step });
  assert.equal(early.status, 409);
  assert.match(String(early.body['error']), /is not to be left out/);
  await post(`${at}/skip`, { step, because: 'a mistake' });
  assert.deepEqual((await get(at)).body['skips'], { [step]: 'a mistake' });
  const effect = `${step} is done once the operation is retried`;
  for (const dryRun of [true, false]) {
    const { status, body } = await post(`${at}/unskip`, { step, because: 'needed', dryRun });
    assert.equal(status, 202);
    assert.deepEqual(body, { operationID: operation, action: 'unskip', step, dryRun, effect });
  }
  assert.equal((await get(at)).body['skips'], undefined);
  const { body: audited } = await get(`/audit?subject=${operation}`);
  const acts = audited['data'] as { action: string; outcome: string; details: object }[];
  const unskip = acts.find(({ action }) => action === 'POST /operations/:operationId/unskip');
  assert.deepEqual(unskip?.details, { fields: ['step', 'because', 'dryRun'] });
});

test('events, errors and statistics tell of a failure', async () => {
  const { id, operation } = await world.instanceIn('failed');
  const events = JSON.parse((await get(`/events?instance_ids=${id}`)).text) as {
    Level: string;
    OperationID: string;
    ID: string;
  }[];
  assert.ok(events.length >= 2);
  assert.deepEqual(
    [events.at(-1)?.Level, events.at(-1)?.OperationID, events.at(-1)?.ID],
    ['error', operation, `${operation}/end`],
  );
  assert.deepEqual(JSON.parse((await get('/events?runtime_ids=nobody')).text), []);
  const groups = JSON.parse((await get('/errors')).text) as {
    data: { count: number; runtimes: string[]; action: string; fingerprint: string }[];
  };
  const group = groups.data.find(({ runtimes }) => runtimes.includes(id));
  assert.ok(group && group.count >= 1 && group.action !== '');
  const same = dataOf(await get(`/operations?fingerprint=${group?.fingerprint}`));
  assert.ok(same.some(({ operationID }) => operationID === operation));
  const states = JSON.parse((await get('/statistics/states?bucket=day')).text) as {
    data: { failed: Record<string, number> }[];
    now: Record<string, number>;
  };
  assert.ok((states.data.at(-1)?.failed['provision'] ?? 0) >= 1);
  assert.deepEqual(Object.keys(states.now).toSorted(), [
    'due',
    'inProgress',
    'pending',
    'retrying',
    'stuck',
    'waiting',
  ]);
  const steps = JSON.parse((await get('/statistics/steps?type=provision')).text) as object[];
  assert.ok(steps.length > 0);
  const queue = (await get('/statistics/queue')).body;
  assert.equal((queue['replicas'] as unknown[]).length, 1);
  assert.equal((await get('/errors?since=yesterday')).status, 400);
});

test('what is about no instance names no instance, and does not happen to one', async () => {
  const { id } = await world.instanceIn('ready');
  const facts = { bindingId: 'b-1', instanceId: id };
  const binding = (await world.engine.start('bind', 'binding:b-1', facts)).id;
  const job = (await world.engine.start('orchestration', 'orchestration:o-1', {})).id;
  const shown = async (operation: string) => {
    const { instanceID, subject } = (await get(`/operations/${operation}`)).body;
    return [instanceID, subject];
  };
  assert.deepEqual(await shown(binding), [id, 'binding:b-1']);
  assert.deepEqual(await shown(job), [undefined, 'orchestration:o-1']);
  await Promise.all([world.pass(binding), world.pass(job)]);
  const events = JSON.parse((await get('/events?limit=10000')).text) as {
    InstanceID?: string;
    OperationID: string;
  }[];
  const of = (operation: string) =>
    events.filter(({ OperationID }) => OperationID === operation).map((each) => each.InstanceID);
  assert.deepEqual([...new Set(of(binding))], [id]);
  assert.deepEqual(of(job), []);
  const named = JSON.parse((await get(`/events?operation_ids=${job}`)).text) as object[];
  assert.ok(named.length > 0 && named.every((event) => !('InstanceID' in event)));
});

test('if all runtimes in brief cannot be told, the answer says for which request', async () => {
  const { pool } = world.database;
  await pool.query('alter table instances rename to instances_away');
  const { status, body } = await get('/info/runtimes');
  await pool.query('alter table instances_away rename to instances');
  assert.equal(status, 500);
  assert.deepEqual(Object.keys(body), ['status', 'requestId', 'message']);
  assert.equal(body['status'], 500);
  assert.doesNotMatch(String(body['message']), /instances/);
});

test('who asks and which version answers is told', async () => {
  assert.deepEqual((await get('/version')).body, { version: '1.2.3' });
  assert.equal((await get('/me')).body['authentication'], 'off');
});
