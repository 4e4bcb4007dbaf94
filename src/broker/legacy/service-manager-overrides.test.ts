import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Secret } from '#database';
import { accessOf } from './service-manager-overrides.ts';

const own = { url: 'https://own.example.com', username: 'own', password: new Secret('own') };
const credentials = {
  url: 'https://sent.example.com',
  credentials: { basic: { username: 'sent', password: 'sent' } },
};
const sent = {
  globalaccount_id: 'ga-1',
  subaccount_id: 'sa-1',
  user_id: 'somebody@example.com',
  sm_platform_credentials: new Secret(JSON.stringify(credentials)),
};
const { sm_platform_credentials: _none, ...notSent } = sent;

for (const [mode, context, subaccountWithItsOwn, expected] of [
  ['Always', sent, '', 'own'],
  ['Always', notSent, '', 'own'],
  ['Always', sent, 'sa-1', 'sent'],
  ['WhenNotSentInRequest', sent, '', 'sent'],
  ['WhenNotSentInRequest', notSent, '', 'own'],
  ['Never', sent, '', 'sent'],
  ['Never', notSent, '', undefined],
  ['Always', notSent, 'sa-1', undefined],
] as const) {
  const request = context === sent ? 'with' : 'without';
  const who = subaccountWithItsOwn ? ' of the subaccount with its own' : '';
  test(`in the mode ${mode}, a request${who} ${request} credentials gets ${expected ?? 'none'}`, () => {
    const rules = { mode, own, subaccountWithItsOwn };
    const access = accessOf(rules, { context, subaccount: 'sa-1' });
    assert.equal(access?.username, expected);
    assert.equal(access?.password.reveal(), expected);
  });
}
