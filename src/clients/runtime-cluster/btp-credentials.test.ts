import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inspect } from 'node:util';
import { BtpCredentials, btpCredentialKeys, differingKeys, emptyKeys } from './btp-credentials.ts';
import { credentials } from './testing.ts';

const changed = (values: Partial<ReturnType<BtpCredentials['reveal']>>) =>
  new BtpCredentials({ ...credentials.reveal(), ...values });

test('credentials show themselves only when asked', () => {
  const shown = [
    inspect(credentials, { showHidden: true, depth: 9 }),
    JSON.stringify({ credentials }),
    credentials.toString(),
  ];
  for (const each of shown) {
    assert.match(each, /\[btp credentials\]/);
    assert.doesNotMatch(each, /canary|client-1/);
  }
  assert.equal(credentials.reveal().clientsecret, 'canary-of-btp');
});

test('a comparison names the keys that differ, in a fixed order and without values', () => {
  assert.deepEqual(differingKeys(credentials, changed({})), []);
  for (const key of btpCredentialKeys)
    assert.deepEqual(differingKeys(credentials, changed({ [key]: 'other' })), [key]);
  const two = changed({ cluster_id: '', clientid: 'other' });
  assert.deepEqual(differingKeys(credentials, two), ['clientid', 'cluster_id']);
  assert.deepEqual(differingKeys(credentials, undefined), btpCredentialKeys);
});

test('empty keys are named', () => {
  assert.deepEqual(emptyKeys(credentials), []);
  assert.deepEqual(emptyKeys(changed({ sm_url: '', tokenurl: '' })), ['sm_url', 'tokenurl']);
});
