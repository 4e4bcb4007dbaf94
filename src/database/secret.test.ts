import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { format, inspect } from 'node:util';
import { createKeyring } from './keyring.ts';
import { openSecrets, sealSecrets, Secret } from './secret.ts';

const keyring = createKeyring({ current: 'one', keys: { one: randomBytes(32) } });

test('a secret shows itself only when it is revealed', () => {
  const secret = new Secret('password');
  assert.equal(secret.reveal(), 'password');
  const shown = [
    String(secret),
    JSON.stringify({ secret }),
    inspect({ secret }, { showHidden: true }),
    inspect(secret, { customInspect: false, showHidden: true }),
    format('%s %o %O %j', secret, secret, secret, secret),
    inspect(structuredClone(secret)),
    ...Object.keys(secret),
  ].join();
  assert.ok(!shown.includes('password'), shown);
  assert.equal(String(secret), '[secret]');
});

test('secrets anywhere in a value are sealed for storage, and come back as secrets', () => {
  const facts = {
    name: 'shoot',
    list: [{ token: new Secret('a') }, 1, null],
    kubeconfig: new Secret('b'),
  };
  const stored = JSON.stringify(sealSecrets(facts, keyring, 'operation 1'));
  assert.match(stored, /"kubeconfig":\{"\$secret":"one:/);
  const opened = openSecrets(JSON.parse(stored), keyring, 'operation 1') as typeof facts;
  assert.equal(opened.name, 'shoot');
  assert.ok(opened.kubeconfig instanceof Secret);
  assert.equal(opened.kubeconfig.reveal(), 'b');
  assert.deepEqual(opened.list.slice(1), [1, null]);
  assert.equal((opened.list[0] as { token: Secret }).token.reveal(), 'a');
  assert.equal(inspect(opened.kubeconfig), '[secret]');
});

test('a value without secrets stays the same object', () => {
  const facts = { a: [1, { b: null }], at: new Date(), c: undefined };
  assert.equal(sealSecrets(facts, keyring, ''), facts);
  assert.equal(openSecrets(facts, keyring, ''), facts);
  const mixed = { untouched: facts, secret: new Secret('a') };
  assert.equal((sealSecrets(mixed, keyring, '') as typeof mixed).untouched, facts);
});

test('a plain value that looks like a sealed secret is refused', () => {
  assert.throws(
    () => sealSecrets({ a: [{ $secret: 'x' }] }, keyring, ''),
    /"\$secret" cannot be stored/,
  );
});

test('a stored secret is decrypted when it is revealed, not before', () => {
  const opened = openSecrets({ $secret: 'lost:AAAA' }, keyring, '');
  assert.ok(opened instanceof Secret);
  assert.throws(() => opened.reveal(), /no key "lost"/);
});
