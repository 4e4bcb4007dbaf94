// What ends up in the audit logs of both services, who may read it, and what happens when it cannot be written.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { pino } from 'pino';
import { AuditLog } from '#audit';
import { orderOf, startApi } from '../../src/broker/api/testing.ts';
import { order, startProvisioner } from '../../src/provisioner/testing.ts';

const broker = await startApi({
  api: {
    authorize: async ({ headers }) => ({
      subject: String(headers['x-subject'] ?? 'ada'),
      client: 'kcp',
      scopes: [],
      groups: [],
    }),
  },
});
const provisioner = await startProvisioner({ landscape: broker.landscape });
after(async () => {
  await provisioner[Symbol.asyncDispose]();
  await broker[Symbol.asyncDispose]();
});

type Listed = {
  readonly data: readonly Readonly<Record<string, unknown>>[];
  readonly count: number;
  readonly totalCount: number;
};
const listed = async (query: string) =>
  (await broker.call('GET', `/audit?${query}`)).body as unknown as Listed; // as the endpoint answers

test('an order is recorded once, with who stands behind the platform, and the names of what was sent', async () => {
  const originator = Buffer.from(JSON.stringify({ user_id: 'u-7' })).toString('base64');
  const { status } = await broker.put('seen', orderOf(), {
    headers: {
      'x-broker-api-originating-identity': `cloudfoundry ${originator}`,
      'x-correlation-id': 'r-7',
    },
  });
  assert.equal(status, 202);
  const { data, totalCount } = await listed('subject=seen');
  assert.equal(totalCount, 1);
  const [
    { at, hash: _hash, previous: _previous, number: _number, details, ...entry } = assert.fail(),
  ] = data;
  assert.deepEqual(entry, {
    actor: 'ada',
    client: 'kcp',
    action: 'PUT /v2/service_instances/:instanceId',
    subject: 'seen',
    outcome: '202',
    requestID: 'r-7',
  });
  assert.match(String(at), /^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
  const { fields, ...others } = details as { fields: string[] };
  assert.deepEqual(others, { query: ['accepts_incomplete'], originator: 'cloudfoundry u-7' });
  for (const field of ['plan_id', 'context.user_id', 'parameters.name'])
    assert.ok(fields.includes(field), field);
  assert.doesNotMatch(JSON.stringify(data), /somebody@example\.com|demo"/);
});

test('a preview changes nothing, and is not recorded', async () => {
  const headers = { 'x-subject': 'pia' };
  const body = { targets: { include: [{ target: 'all' }] } };
  for (const path of ['/orchestrations/preview', '/upgrade/kyma?preview=true'])
    assert.equal((await broker.call('POST', path, { body, headers })).status, 200, path);
  assert.equal((await listed('actor=pia')).totalCount, 0);
  await broker.call('POST', '/upgrade/kyma?preview=true&preview=true', { body, headers });
  assert.equal((await listed('actor=pia')).totalCount, 2);
});

test('what an operator does is recorded before and after; what is only read is not recorded', async () => {
  await broker.call('GET', '/runtimes/unknown/bindings', { headers: { 'x-subject': 'otto' } });
  await broker.call('POST', '/upgrade/kyma/unknown', {
    body: {},
    headers: { 'x-subject': 'otto' },
  });
  const { data } = await listed('actor=otto');
  assert.deepEqual(
    data.map(({ action, subject, outcome }) => [action, subject, outcome]),
    [
      ['POST /upgrade/kyma/:instanceId', 'unknown', '404'],
      ['POST /upgrade/kyma/:instanceId', 'unknown', 'asked'],
    ],
  );
});

test('entries come page by page, and a wrong question is answered with what is allowed', async () => {
  for (let n = 0; n < 3; n += 1)
    await broker.call('POST', '/upgrade/cluster/x', { body: {}, headers: { 'x-subject': 'pat' } });
  const { count, totalCount } = await listed('actor=pat&page=2&page_size=4');
  assert.deepEqual([count, totalCount], [2, 6]);
  assert.equal((await listed('actor=pat&since=2999-01-01T00:00:00Z')).totalCount, 0);
  for (const [query, complaint] of [
    ['since=yesterday', /since is .*yesterday.*2026-01-31T12:00:00Z/],
    ['who=ada', /who is not known/],
  ] as const) {
    const { status, text } = await broker.call('GET', `/audit?${query}`);
    assert.equal(status, 400);
    assert.match(text, complaint);
  }
  const { status } = await broker.call('GET', '/audit/verify?noted=7');
  assert.equal(status, 400);
});

test('mutations of the provisioner are recorded with their tenant, those that are refused, too; queries are not', async () => {
  const { runtimeID } = await provisioner.provision(order('azure'));
  await provisioner.graphql(`mutation { hibernateRuntime(id: "${runtimeID}") { id } }`, {
    tenant: 'eve',
  });
  await provisioner.graphql(
    `{ runtimeStatus(id: "${runtimeID}") { runtimeConfiguration { kubeconfig } } }`,
  );
  const audit = new AuditLog(provisioner.database, pino({ level: 'silent' }));
  const { entries } = await audit.find({ subject: runtimeID }, { limit: 10, offset: 0 });
  assert.deepEqual(
    entries.map(({ action, outcome, details }) => [action, outcome, JSON.parse(details)]),
    [
      ['mutation hibernateRuntime', '400', { tenant: 'eve', fields: [] }],
      [
        'mutation provisionRuntime',
        '200',
        { tenant: 'ga-1', fields: ['runtimeInput', 'clusterConfig'] },
      ],
    ],
  );
});

test('the service and the program without it agree on the log, its head, and a head from before', async () => {
  const { body } = await broker.call('GET', '/audit/verify');
  const { ok, entries, head } = body as {
    ok: boolean;
    entries: number;
    head: { number: number; hash: string };
  };
  assert.ok(ok && entries > 0 && head.number === entries);
  const noted = `${head.number}:${head.hash}`;
  await broker.put('later');
  assert.equal((await broker.call('GET', `/audit/verify?noted=${noted}`)).body['ok'], true);
  const wrong = `${head.number}:${'0'.repeat(64)}`;
  const { body: broken } = await broker.call('GET', `/audit/verify?noted=${wrong}`);
  assert.deepEqual([broken['ok'], broken['brokenAt']], [false, head.number]);

  const schema = broker.database.schema;
  const verify = (log: string) =>
    new Promise<{ code: number; printed: string }>((resolve) => {
      const program = join(import.meta.dirname, '../../bin/verify-audit.ts');
      const env = { PATH: process.env['PATH'], DATABASE_URL: broker.database.url };
      execFile(process.execPath, [program, log], { env }, (error, printed) =>
        resolve({ code: Number(error?.code ?? 0), printed }),
      );
    });
  const [well, lost] = await Promise.all([
    verify(`${schema}@${noted}`),
    verify(`${schema}@${wrong}`),
  ]);
  assert.equal(well.code, 0);
  assert.match(well.printed, /entries, as they were written; head \d+:[0-9a-f]{64}/);
  assert.equal(lost.code, 1);
  assert.match(lost.printed, new RegExp(`broken at entry ${head.number}: .*noted`));
});

test('without the log operators begin nothing, and nobody is told that all went well', async () => {
  await broker.database.pool.query('alter table audit_head rename to away');
  await provisioner.database.pool.query('alter table audit_head rename to away');
  try {
    const { id } = await broker.instanceIn('ready').catch(() => ({ id: 'unrecorded' }));
    const upgrade = await broker.call('POST', `/upgrade/kyma/${id}`, { body: {} });
    assert.equal(upgrade.status, 503);
    assert.match(String(upgrade.body['error']), /could not be recorded/);
    assert.equal(upgrade.headers.get('retry-after'), '5');
    const ordered = await broker.put('unrecorded');
    assert.equal(ordered.status, 503);
    assert.match(
      String(ordered.body['description']),
      /could not be recorded, and may have been done/,
    );
    const refused = await broker.put('unrecorded', '{');
    assert.equal(refused.status, 503);
    assert.equal((await broker.catalog()).status, 200);
    const { errors } = await provisioner.graphql('mutation { deprovisionRuntime(id: "x") }');
    assert.equal(errors[0]?.extensions['error_code'], 503);
  } finally {
    await broker.database.pool.query('alter table away rename to audit_head');
    await provisioner.database.pool.query('alter table away rename to audit_head');
  }
  // Platforms ask again, and find what was done.
  assert.ok([200, 202].includes((await broker.put('unrecorded')).status));
  assert.equal((await broker.audit.verify()).ok, true);
});
