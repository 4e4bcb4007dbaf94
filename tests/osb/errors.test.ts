import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { orderOf, planIds, serviceId, startApi } from '../../src/broker/api/testing.ts';

const world = await startApi();
after(() => world[Symbol.asyncDispose]());

const { id: ready } = await world.instanceIn('ready');
const { id: busy } = await world.instanceIn('provisioning');
const { id: failed } = await world.instanceIn('failed');
const wrong = orderOf({ parameters: { name: 'demo', region: 'atlantis' } });
const other = orderOf({ parameters: { name: 'other' } });
const patch = { parameters: { autoScalerMax: 30 } };
const stale = { maintenance_info: { version: '0.1.0' } };

/** What is refused: the request, the status, and the code if there is one. */
const refused = {
  'a provision without a body': [() => world.put('new', ''), 400],
  'a provision of an unknown plan': [() => world.put('new', orderOf({ plan_id: 'x' })), 400],
  'a provision with bad parameters': [() => world.put('new', wrong), 400],
  'a provision of something else': [() => world.put(ready, other), 409],
  'a provision at once': [() => world.put('new', orderOf(), {}, ''), 422, 'AsyncRequired'],
  'a provision of an old version': [
    () => world.put('new', orderOf(stale)),
    422,
    'MaintenanceInfoConflict',
  ],
  'a fetch of nothing': [() => world.get('nothing'), 404],
  'a poll of nothing': [() => world.poll('nothing'), 404],
  'an update of nothing': [() => world.patch('nothing', patch), 404],
  'an update at once': [() => world.patch(ready, patch, ''), 422, 'AsyncRequired'],
  'an update to an old version': [() => world.patch(ready, stale), 422, 'MaintenanceInfoConflict'],
  'an update of what is being made': [() => world.patch(busy, patch), 422, 'ConcurrencyError'],
  'an update of what has failed': [() => world.patch(failed, patch), 422],
  'an update to another plan': [() => world.patch(ready, { plan_id: planIds.aws }), 422],
  'a deletion of nothing': [() => world.delete('nothing'), 410],
  'a deletion without a plan': [() => world.delete(ready, `service_id=${serviceId}`), 400],
  'a deletion at once': [
    () => world.delete(ready, `service_id=${serviceId}&plan_id=p`),
    422,
    'AsyncRequired',
  ],
} as const;

test('each refusal has the status that the specification names, and its code where it has one [ERR-01, ERR-02, ERR-10]', async () => {
  for (const [what, [ask, status, code]] of Object.entries(refused)) {
    const { status: got, body } = await ask();
    assert.deepEqual([got, body['error']], [status, code], what);
  }
});

test('each refusal says why, and no empty text [ERR-04, ERR-05]', async () => {
  for (const [what, [ask]] of Object.entries(refused)) {
    const { body } = await ask();
    assert.ok(typeof body['description'] === 'string' && body['description'] !== '', what);
    assert.notEqual(body['error'], '', what);
  }
});

test('only updates and deprovisionings speak of a usable instance, only updates of a repetition [ERR-06, ERR-07]', async () => {
  for (const [what, [ask]] of Object.entries(refused)) {
    const { body } = await ask();
    const isUpdate = what.startsWith('an update');
    assert.ok(isUpdate || !('update_repeatable' in body), what);
    assert.ok(isUpdate || what.startsWith('a deletion') || !('instance_usable' in body), what);
  }
});

test('a refusal leaves everything as it was [ERR-12, UPD-25]', async () => {
  const all = async () => {
    const [instances, operations] = await Promise.all([
      world.database.pool.query(
        'select id, context, parameters, plan_id from instances order by id',
      ),
      world.database.pool.query('select id, state from operations order by id'),
    ]);
    return [instances.rows, operations.rows];
  };
  const before = await all();
  const landscape = JSON.stringify(world.landscape.inventory());
  for (const [, [ask]] of Object.entries(refused)) await ask();
  assert.deepEqual(await all(), before);
  assert.equal(JSON.stringify(world.landscape.inventory()), landscape);
});

test('what fails by our fault is told without its reason, and leaves nothing [ERR-13]', async () => {
  await using broken = await startApi();
  await broken.database.pool.query('alter table operations rename to elsewhere');
  const { status, body, text } = await broken.put('new');
  assert.equal(status, 500);
  assert.match(String(body['description']), /^internal error \(request [\w-]+\)$/);
  assert.doesNotMatch(text, /operations|relation|at /);
  await broken.database.pool.query('alter table elsewhere rename to operations');
  assert.equal(await broken.instance('new'), undefined);
});
