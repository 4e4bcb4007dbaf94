import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inspect } from 'node:util';
import { MovableClock, seconds } from '#time';
import type { Landscape } from '../../landscape/testing.ts';
import { azureToken } from './azure-token.ts';
import {
  answers,
  canary,
  clientOf,
  credentials,
  failsWith,
  resource,
  signal,
  startAzure,
} from './testing.ts';

const tokenPath = '/tenant-1/oauth2/token?api-version=1.0';
const issued = ({ requests }: Landscape) =>
  requests.filter(({ path }) => path.includes('/oauth2/token'));

test('one token serves all calls of the same credentials', async () => {
  await using landscape = await startAzure();
  const client = clientOf(landscape);
  await Promise.all([1, 2, 3].map(() => client.subscription(credentials).allGroups(signal)));
  await client.subscription({ ...credentials }).putGroup(resource, signal);
  assert.deepEqual(
    issued(landscape).map(({ method, path, status }) => ({ method, path, status })),
    [{ method: 'POST', path: tokenPath, status: 200 }],
  );
  await client.subscription({ ...credentials, clientSecret: 'rotated' }).allGroups(signal);
  assert.equal(issued(landscape).length, 2);
});

test('a token is fetched anew when it is refused', async () => {
  await using landscape = await startAzure();
  const subscription = clientOf(landscape).subscription(credentials);
  await subscription.allGroups(signal);
  landscape.time.advance(seconds(3601)); // for the simulated system alone: the client still trusts it
  await subscription.allGroups(signal);
  assert.equal(issued(landscape).length, 2);
});

test('a token is fetched anew shortly before it expires', async () => {
  await using landscape = await startAzure();
  const clock = new MovableClock();
  const token = azureToken({ url: `${landscape.url}/azure` }, credentials, clock);
  const first = await token.header(signal);
  clock.advance(seconds(3500));
  assert.deepEqual(await token.header(signal), first);
  clock.advance(seconds(71));
  assert.notDeepEqual(await token.header(signal), first);
});

test('who stops waiting for a token does not take it from the others', async () => {
  await using landscape = await startAzure();
  landscape.faults.add({ system: 'azure', path: 'oauth2', action: { kind: 'delay', for: 100 } });
  const token = azureToken({ url: `${landscape.url}/azure` }, credentials);
  const patient = token.header(signal);
  const impatient = new AbortController();
  const waiting = token.header(impatient.signal);
  const reason = new Error('canceled');
  impatient.abort(reason);
  await assert.rejects(waiting, reason);
  assert.deepEqual(await token.header(signal), await patient);
  assert.equal(issued(landscape).length, 1);
});

test('a call that is refused with the new token as well fails for good', async () => {
  await using landscape = await startAzure();
  answers(landscape, 'subscriptions', 401, { error: { code: 'InvalidAuthenticationToken' } });
  await assert.rejects(
    clientOf(landscape).subscription(credentials).allGroups(signal),
    failsWith({ temporary: false, status: 401, reason: 'InvalidAuthenticationToken' }),
  );
});

test('credentials that Azure AD refuses fail for good, and are tried again at the next call', async () => {
  await using landscape = await startAzure();
  const client = clientOf(landscape);
  const subscription = client.subscription(credentials);
  const error = { error: 'invalid_client', error_description: `AADSTS7000215: ${canary}` };
  const fault = answers(landscape, 'oauth2/token', 401, error);
  await assert.rejects(
    subscription.allGroups(signal),
    failsWith({ temporary: false, status: 401, reason: 'invalid_client' }),
  );
  landscape.faults.remove(fault);
  await subscription.allGroups(signal);
  await assert.rejects(
    client.subscription({ ...credentials, clientId: '' }).allGroups(signal),
    failsWith({ temporary: false, status: 401, reason: 'invalid_client' }),
  );
});

test('an Azure AD that is down is temporary', async () => {
  await using landscape = await startAzure();
  const subscription = clientOf(landscape).subscription(credentials);
  answers(landscape, 'oauth2/token', 503, '<html>');
  await assert.rejects(
    subscription.allGroups(signal),
    failsWith({ temporary: true, status: 503, reason: 'err_http_status_code' }),
  );
});

test('trouble in one subscription leaves the others alone', async () => {
  await using landscape = await startAzure();
  const client = clientOf(landscape, { breakAfter: 2 });
  answers(landscape, 'subscription-1', 503, '');
  const troubled = client.subscription(credentials);
  for (const reason of ['err_http_status_code', 'err_http_status_code', 'left_alone'])
    await assert.rejects(troubled.allGroups(signal), failsWith({ temporary: true, reason }));
  await client.subscription({ ...credentials, subscriptionId: 'other' }).allGroups(signal);
});

test('a client does not show the credentials it remembers', async () => {
  await using landscape = await startAzure();
  const client = clientOf(landscape);
  const subscription = client.subscription(credentials);
  await subscription.allGroups(signal);
  const shown = inspect([client, subscription], { depth: 9, showHidden: true });
  assert.doesNotMatch(shown, new RegExp(canary));
});
