import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, test } from 'node:test';
import { has, type Identity } from '#access';
import { eventually } from '../../../database/testing.ts';
import { Refusal, startApi } from '../../api/testing.ts';

const who = (groups: readonly string[]): Identity => ({
  subject: 'x',
  client: 'x',
  scopes: ['broker:write'],
  groups,
});
const world = await startApi({
  withRealSteps: true,
  api: {
    async authorize({ headers }, right) {
      const identity = who(String(headers['x-groups'] ?? 'orchestrationsAdmin').split(','));
      if (!has(identity, right)) throw new Refusal('FORBIDDEN', 'no');
      return identity;
    },
  },
});
after(() => world[Symbol.asyncDispose]());

const include = [{ target: 'all' }];
const create = (what: string, body: unknown, headers = {}) =>
  world.call('POST', `/upgrade/${what}`, { body, headers });
const errorOf = ({ body }: { body: Readonly<Record<string, unknown>> }) => String(body['error']);
const total = async () => (await world.call('GET', '/orchestrations')).body['totalCount'];
const withStrategy = (strategy: object) => ({ targets: { include }, strategy });
const withTarget = (target: object) => ({ targets: { include: [target] } });

for (const [body, why] of [
  [{}, /targets/],
  [
    { targets: { include: [] } },
    /while validating target: targets\.include array must be not empty/,
  ],
  [{ targets: { include: 'all' } }, /targets\.include must be a list/],
  [{ targets: { include, exlude: [] } }, /exlude is not known \(allowed: include, exclude\)/],
  [
    withTarget({ target: 'everything' }),
    /targets\.include\.0\.target is "everything": allowed is all/,
  ],
  [withTarget({ plan: 'aws' }), /plan is not known \(allowed: target, globalAccount/],
  [
    withTarget({ region: '(' }),
    /targets\.include\.0\.region is "\(": expected a regular expression/,
  ],
  [withTarget({ globalAccount: '(a+)\\1' }), /globalAccount is .*back references are not allowed/],
  [withTarget({ subAccount: 'a'.repeat(201) }), /subAccount is longer than 200/],
  [
    withTarget({ region: '((((a{200}){200}){200}){200})' }),
    /region is .*: expected a regular expression/,
  ],
  [
    { targets: { include, exclude: [{ region: 'eu' }, { region: '(x*x*x*){1,200}y' }] } },
    /^targets\.exclude\.1\.region is "\(x\*.*it takes too long to match\)$/,
  ],
  [withStrategy({ type: 'serial' }), /strategy\.type is "serial": allowed is parallel/],
  [
    withStrategy({ schedule: '' }),
    /strategy\.schedule is "": allowed are immediate, now and a time/,
  ],
  [
    withStrategy({ schedule: 'maintenanceWindow' }),
    /strategy\.schedule is "maintenanceWindow", which is deprecated/,
  ],
  [withStrategy({ schedule: 'tomorrow' }), /strategy\.schedule is "tomorrow"/],
  [
    withStrategy({ parallel: { workers: 0 } }),
    /strategy\.parallel\.workers is 0: expected a whole number from 1/,
  ],
  [withStrategy({ parallel: { workers: 'two' } }), /strategy\.parallel\.workers is "two"/],
  [withStrategy({ waves: [{ size: 0 }] }), /strategy\.waves\.0\.size is 0/],
  [withStrategy({ waves: [{}] }), /strategy\.waves\.0 needs either size or percent/],
  [withStrategy({ waves: [{ percent: 101 }] }), /strategy\.waves\.0\.percent is above 100/],
  [
    withStrategy({ waveSoak: '10 minutes' }),
    /strategy\.waveSoak is "10 minutes": expected a duration like/,
  ],
  [withStrategy({ errorBudget: { failures: -1 } }), /strategy\.errorBudget\.failures is -1/],
  [
    withStrategy({ errorBudget: { failures: 1, percent: 1 } }),
    /errorBudget needs either failures or percent/,
  ],
  [
    { targets: { include }, kyma: { version: 'latest' } },
    /kyma\.version is "latest": expected a version/,
  ],
  [
    { targets: { include }, kyma: { version: '9.9.9' } },
    /while validating kyma version: invalid Kyma version, .*9\.9\.9/,
  ],
  [{ targets: { include }, dryRun: 'yes' }, /dryRun must be true or false/],
  ['{', /not JSON/],
] as const) {
  test(`an orchestration is refused, and its preview, and nothing is stored: ${String(why)}`, async () => {
    const before = await total();
    for (const query of ['', '?preview=true']) {
      const answer = await create(`kyma${query}`, body);
      assert.equal(answer.status, 400, answer.text);
      assert.match(errorOf(answer), why);
    }
    assert.equal(await total(), before);
  });
}

test('what is left out is filled in: parallel, at once, one worker', async () => {
  const { body, status } = await create('kyma', {
    targets: { include: [{ globalAccount: 'nobody' }] },
    kyma: { version: '2.18.0' },
  });
  assert.equal(status, 202);
  const { body: found } = await world.call(
    'GET',
    `/orchestrations/${String(body['orchestrationID'])}`,
  );
  assert.partialDeepStrictEqual(found['parameters'], {
    strategy: {
      type: 'parallel',
      schedule: 'immediate',
      maintenanceWindow: false,
      parallel: { workers: 1 },
    },
    dryRun: false,
    notification: false,
    kyma: { version: '2.18.0' },
  });
});

test('a version that nobody can look up is accepted', async () => {
  const outage = { kind: 'answer', status: 503 } as const;
  world.landscape.faults.add({ system: 'artifacts', action: outage });
  const target = { include: [{ globalAccount: 'nobody' }] };
  const { status } = await create('kyma', { targets: target, kyma: { version: '9.9.9' } });
  world.landscape.faults.remove();
  assert.equal(status, 202);
});

test('orchestrations are listed by their states, page by page', async () => {
  const pending = '/orchestrations?state=pending';
  await eventually(async () => (await world.call('GET', pending)).body['totalCount'] === 0);
  const targets = { include: [{ globalAccount: 'listed' }] };
  for (let n = 0; n < 3; n += 1)
    await create('cluster', { targets, strategy: { schedule: '2126-01-01T00:00:00Z' } });
  const { body } = await world.call('GET', `${pending}&page_size=2&page=2`);
  assert.deepEqual([body['count'], body['totalCount']], [1, 3]);
  const [one] = body['data'] as Record<string, unknown>[];
  assert.partialDeepStrictEqual(one, { type: 'upgradeCluster', state: 'pending' });
  for (const query of ['state=odd', 'page=0', 'page_size=1000', 'color=red'])
    assert.equal((await world.call('GET', `/orchestrations?${query}`)).status, 400, query);
});

test('of an orchestration that does not exist there is nothing to see and nothing to change', async () => {
  const form = { headers: { 'content-type': 'application/x-www-form-urlencoded' }, body: '' };
  for (const id of [randomUUID(), 'no-id'])
    for (const [method, path, more] of [
      ['GET', ''],
      ['GET', '/operations'],
      ['GET', '/operations/x'],
      ['GET', '/stream'],
      ['PUT', '/cancel'],
      ['PUT', '/pause'],
      ['PUT', '/resume'],
      ['POST', '/retry', form],
    ] as const)
      assert.equal((await world.call(method, `/orchestrations/${id}${path}`, more)).status, 404);
});

test('a retry is a form', async () => {
  const { status } = await world.call('POST', `/orchestrations/${randomUUID()}/retry`, {
    body: {},
  });
  assert.equal(status, 415);
});

test('many may look, and only those who may upgrade many runtimes may change something', async () => {
  const as = (groups: string) => ({ headers: { 'x-groups': groups } });
  for (const groups of ['runtimeViewer', 'runtimeOperator', 'runtimeAdmin', 'orchestrationsAdmin'])
    assert.equal((await world.call('GET', '/orchestrations', as(groups))).status, 200);
  assert.equal((await world.call('GET', '/orchestrations', as('others'))).status, 403);
  for (const groups of ['runtimeViewer', 'runtimeOperator', 'runtimeAdmin']) {
    const body = { targets: { include } };
    assert.equal((await create('kyma', body, { 'x-groups': groups })).status, 403);
    const cancel = `/orchestrations/${randomUUID()}/cancel`;
    assert.equal((await world.call('PUT', cancel, as(groups))).status, 403);
  }
});

test('an orchestration that nobody carries any more says so, and can still be canceled', async () => {
  const targets = { include: [{ globalAccount: 'abandoned' }] };
  const { body } = await create('kyma', {
    targets,
    strategy: { schedule: '2126-01-01T00:00:00Z' },
  });
  const path = `/orchestrations/${String(body['orchestrationID'])}`;
  const { body: before } = await world.call('GET', path);
  await world.engine.cancel(String(before['operationID']), 'a mistake');
  await world.pass(String(before['operationID']));
  const { body: abandoned } = await world.call('GET', path);
  assert.deepEqual(
    [abandoned['state'], abandoned['description']],
    ['failed', 'its processing has ended: canceled: a mistake'],
  );
  await world.call('PUT', `${path}/cancel`);
  const { body: carried } = await world.call('GET', path);
  assert.notEqual(carried['operationID'], before['operationID']);
  await world.pass(String(carried['operationID']));
  assert.equal((await world.call('GET', path)).body['state'], 'canceled');
});

test('an orchestration that ends while somebody asks is told as it was, or as it is, and not half of each', async () => {
  const { body } = await create('kyma', {
    targets: { include: [{ globalAccount: 'ends meanwhile' }] },
    strategy: { schedule: '2126-01-01T00:00:00Z' },
  });
  const id = String(body['orchestrationID']);
  const status = async () => (await world.call('GET', `/orchestrations/${id}`)).body;
  const state = async () => (await status())['state'];
  await eventually(async () => {
    const { activity } = (await status())['explanation'] as { activity: string };
    return activity === 'waiting';
  });
  const { pool } = world.database;
  const ending = await pool.connect();
  try {
    await ending.query('begin');
    await ending.query('lock table operations in access exclusive mode');
    const asked = state();
    await eventually(async () => {
      const { rowCount } = await pool.query(
        `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'
            and query like '%"isRetry"%'`,
      );
      return rowCount === 1;
    });
    await ending.query(
      `update operations set state = 'succeeded', ended_at = now(), due_at = null where subject = $1`,
      [`orchestration:${id}`],
    );
    await ending.query(
      `update orchestrations set state = 'succeeded', ended_at = now() where id = $1`,
      [id],
    );
    await ending.query('commit');
    assert.equal(await asked, 'pending');
    assert.equal(await state(), 'succeeded');
  } finally {
    ending.release();
  }
});
