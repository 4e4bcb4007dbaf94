import assert from 'node:assert/strict';
import { test } from 'node:test';
import { minutes, seconds } from '#time';
import {
  answers,
  canary,
  clientOf,
  credentials,
  failsWith,
  resource,
  signal,
  startAzure,
  subscriptionOf,
} from './testing.ts';

const { name } = resource;
const instance = { name: 'InstanceID', value: resource.tags.InstanceID };

test('a resource group is created, created again, found by its tag and deleted with all that is in it', async () => {
  await using landscape = await startAzure();
  const subscription = subscriptionOf(landscape);
  const expected = { ...resource, state: 'Succeeded' };
  assert.deepEqual(await subscription.putGroup(resource, signal), expected);
  assert.deepEqual(await subscription.putGroup(resource, signal), expected);
  assert.deepEqual(await subscription.findGroups(instance, signal), [expected]);
  await subscription.putNamespace(name, resource, signal);
  const deletion = await subscription.deleteGroup(name, signal);
  assert.deepEqual(deletion, { kind: 'running', retryAfter: seconds(15) });
  assert.deepEqual(await subscription.findGroups(instance, signal), [
    { ...resource, state: 'Deleting' },
  ]);
  assert.equal((await subscription.deleteGroup(name, signal)).kind, 'running');
  landscape.time.advance(minutes(5));
  assert.deepEqual(await subscription.findGroups(instance, signal), []);
  assert.deepEqual(landscape.inventory()['azure'], { resourceGroups: [], namespaces: [] });
});

test('a group that is gone counts as deleted', async () => {
  await using landscape = await startAzure();
  const subscription = subscriptionOf(landscape);
  assert.deepEqual(await subscription.deleteGroup(name, signal), { kind: 'deleted' });
  answers(landscape, 'resourcegroups', 200, '');
  assert.deepEqual(await subscription.deleteGroup(name, signal), { kind: 'deleted' });
});

test('all groups with a tag are found, however many pages they fill, and no others', async () => {
  await using landscape = await startAzure();
  const subscription = subscriptionOf(landscape);
  const tags = { InstanceID: "it's & mine" };
  for (let n = 0; n < 45; n += 1)
    await subscription.putGroup({ ...resource, name: `g${n}`, tags }, signal);
  await subscription.putGroup(resource, signal);
  const other = clientOf(landscape).subscription({ ...credentials, subscriptionId: 'other' });
  await other.putGroup({ ...resource, tags }, signal);
  const found = await subscription.findGroups({ name: 'InstanceID', value: "it's & mine" }, signal);
  assert.equal(found.length, 45);
  assert.equal((await subscription.allGroups(signal)).length, 46);
});

test('a group without properties has no state, and a state that nobody knows is passed on', async () => {
  await using landscape = await startAzure();
  const group = { name, location: 'westeurope' };
  const strange = { ...group, tags: null, properties: { provisioningState: 'Meditating' } };
  answers(landscape, 'resourcegroups', 200, { value: [group, strange], nextLink: '' });
  assert.deepEqual(await subscriptionOf(landscape).findGroups(instance, signal), [
    { ...group, tags: {}, state: undefined },
    { ...group, tags: {}, state: 'Meditating' },
  ]);
});

test('a group that is being deleted cannot be created, until it is gone', async () => {
  await using landscape = await startAzure();
  const subscription = subscriptionOf(landscape);
  await subscription.putGroup(resource, signal);
  await subscription.deleteGroup(name, signal);
  const refused = failsWith({
    temporary: true,
    reason: 'ResourceGroupBeingDeleted',
    status: 409,
  });
  await assert.rejects(subscription.putGroup(resource, signal), refused);
  await assert.rejects(subscription.putNamespace(name, resource, signal), refused);
  landscape.time.advance(minutes(5));
  await subscription.putGroup(resource, signal);
});

test('a put whose answer was lost is repeated without harm', async () => {
  await using landscape = await startAzure();
  const subscription = subscriptionOf(landscape);
  const unreachable = failsWith({ temporary: true, reason: 'unreachable' });
  const lose = () =>
    landscape.faults.add({
      system: 'azure',
      method: 'PUT',
      count: 1,
      action: { kind: 'lost answer' },
    });
  lose();
  await assert.rejects(subscription.putGroup(resource, signal), unreachable);
  await subscription.putGroup(resource, signal);
  lose();
  await assert.rejects(subscription.putNamespace(name, resource, signal), unreachable);
  await subscription.putNamespace(name, resource, signal);
  const { resourceGroups, namespaces } = landscape.inventory()['azure'] ?? {};
  assert.equal(resourceGroups?.length, 1);
  assert.partialDeepStrictEqual(namespaces, [{ group: name, name, state: 'Creating' }]);
  assert.equal(namespaces?.length, 1);
});

test('the connection string is given out once the namespace is there, and is in no inventory', async () => {
  await using landscape = await startAzure();
  const subscription = subscriptionOf(landscape);
  await subscription.putGroup(resource, signal);
  const keys = () => subscription.connectionString(name, name, signal);
  await assert.rejects(keys(), failsWith({ temporary: true, reason: 'ResourceNotFound' }));
  await subscription.putNamespace(name, resource, signal);
  await assert.rejects(keys(), failsWith({ temporary: true, reason: 'Conflict' }));
  landscape.time.advance(minutes(3));
  const connectionString = (await keys()) ?? '';
  assert.match(connectionString, /^Endpoint=sb:\/\/k5f0c7f1a\.servicebus\.windows\.net\/;/);
  assert.equal(await keys(), connectionString);
  const [, key = '?'] = connectionString.split('SharedAccessKey=');
  assert.equal(JSON.stringify(landscape.inventory()).includes(key), false);
  answers(landscape, 'listKeys', 200, { keyName: 'RootManageSharedAccessKey' });
  assert.equal(await keys(), undefined);
});

for (const [status, code, temporary] of [
  [400, 'LocationNotAvailableForResourceGroup', false],
  [403, 'AuthorizationFailed', false],
  [404, 'SubscriptionNotFound', false],
  [404, 'ResourceGroupNotFound', true],
  [408, 'RequestTimeout', true],
  [409, 'MissingSubscriptionRegistration', false],
  [409, 'AnotherOperationInProgress', true],
  [429, 'TooManyRequests', true],
  [500, 'InternalServerError', true],
  [503, 'ServerBusy', true],
] as const) {
  test(`status ${status}, ${code}, is ${temporary ? 'temporary' : 'permanent'}`, async () => {
    await using landscape = await startAzure();
    const headers = status === 429 ? { 'retry-after': '7' } : {};
    answers(landscape, 'subscriptions', status, { error: { code, message: canary } }, headers);
    const expected = failsWith({
      temporary,
      reason: code,
      status,
      ...(status === 429 && { retryAfter: seconds(7) }),
    });
    const subscription = subscriptionOf(landscape);
    await assert.rejects(subscription.putGroup(resource, signal), expected);
    await assert.rejects(subscription.putNamespace(name, resource, signal), expected);
    await assert.rejects(subscription.connectionString(name, name, signal), expected);
    await assert.rejects(subscription.findGroups(instance, signal), expected);
  });
}

test('an error that is no JSON, or has no code, is known by its status', async () => {
  await using landscape = await startAzure();
  const subscription = subscriptionOf(landscape);
  for (const body of [`<html>${canary}`, { error: { code: canary } }, { error: {} }, '']) {
    landscape.faults.remove();
    answers(landscape, 'subscriptions', 502, body);
    await assert.rejects(
      subscription.putGroup(resource, signal),
      failsWith({ temporary: true, reason: 'err_http_status_code', status: 502 }),
    );
  }
});

test('an answer of the wrong shape names the field', async () => {
  await using landscape = await startAzure();
  answers(landscape, 'subscriptions', 200, { value: [{ name: 7, location: canary }] });
  await assert.rejects(subscriptionOf(landscape).findGroups(instance, signal), (error: Error) => {
    assert.match(error.message, /value\.0\.name/);
    return failsWith({ temporary: true, reason: 'wrong_answer' })(error);
  });
});

test('the token goes to no other server, whatever link an answer has', async () => {
  await using landscape = await startAzure();
  await using other = await startAzure();
  const subscription = subscriptionOf(landscape);
  const foreign = failsWith({ temporary: false, reason: 'foreign_url' });
  const url = `${other.url}/azure/subscriptions/s/operations/1`;
  answers(landscape, 'resourcegroups', 200, { value: [], nextLink: url });
  await assert.rejects(subscription.findGroups(instance, signal), foreign);
  for (const kind of ['operation', 'location', 'resource'] as const)
    await assert.rejects(subscription.progress({ kind, url }, signal), foreign);
  assert.equal(other.requests.length, 0);
});

test('a call ends at its timeout and at its signal', async () => {
  await using landscape = await startAzure();
  landscape.faults.add({ system: 'azure', action: { kind: 'delay', for: 60_000 } });
  const subscription = subscriptionOf(landscape, { timeout: 20 });
  await assert.rejects(
    subscription.allGroups(signal),
    failsWith({ temporary: true, reason: 'unreachable' }),
  );
  const reason = new Error('canceled');
  await assert.rejects(subscription.allGroups(AbortSignal.abort(reason)), reason);
});
