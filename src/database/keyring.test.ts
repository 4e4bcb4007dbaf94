import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { inspect } from 'node:util';
import { createKeyring, parseKeyring } from './keyring.ts';

const [one, two] = [randomBytes(32), randomBytes(32)];

test('what was sealed opens in its context, and differs each time', () => {
  const keyring = createKeyring({ current: 'one', keys: { one } });
  const sealed = keyring.seal('pässword', 'row 1');
  assert.match(sealed, /^one:[A-Za-z0-9_-]+$/);
  assert.equal(keyring.open(sealed, 'row 1'), 'pässword');
  assert.equal(keyring.open(keyring.seal('', 'row 1'), 'row 1'), '');
  assert.notEqual(keyring.seal('pässword', 'row 1'), sealed);
});

test('sealed text does not open in another context', () => {
  const keyring = createKeyring({ current: 'one', keys: { one } });
  const sealed = keyring.seal('password', 'row 1');
  assert.throws(() => keyring.open(sealed, 'row 2'), /cannot open what was sealed with key "one"/);
});

test('altered or shortened text does not open, and the error shows nothing of it', () => {
  const keyring = createKeyring({ current: 'one', keys: { one } });
  const bytes = Buffer.from(keyring.seal('password', '').slice('one:'.length), 'base64url');
  for (const index of bytes.keys()) {
    const altered = Buffer.from(bytes);
    altered.writeUInt8(altered.readUInt8(index) ^ 1, index);
    const sealed = `one:${altered.toString('base64url')}`;
    assert.throws(() => keyring.open(sealed, ''), {
      message: /altered, of another context, or another key/,
    });
  }
  for (const length of [0, 11, 12, 27, 28, bytes.length - 1]) {
    const sealed = `one:${bytes.subarray(0, length).toString('base64url')}`;
    assert.throws(
      () => keyring.open(sealed, ''),
      (error) => !inspect(error).includes('password') && /cannot open/.test(String(error)),
    );
  }
});

test('a key that is not on the ring is named', () => {
  const sealed = createKeyring({ current: 'one', keys: { one } }).seal('password', '');
  const keyring = createKeyring({ current: 'two', keys: { two } });
  assert.equal(keyring.keyIdOf(sealed), 'one');
  assert.throws(() => keyring.open(sealed, ''), { message: 'the keyring has no key "one"' });
  assert.throws(() => createKeyring({ current: 'two', keys: { one } }), /no key "two"/);
  assert.throws(() => keyring.open('no sealed text', ''), /not sealed/);
});

test('another key under the same id does not open', () => {
  const sealed = createKeyring({ current: 'one', keys: { one } }).seal('password', '');
  const keyring = createKeyring({ current: 'one', keys: { one: two } });
  assert.throws(() => keyring.open(sealed, ''), /altered, of another context, or another key/);
});

test('the first key of a text seals, all open', () => {
  const before = parseKeyring(`one:${one.toString('base64')}`);
  const after = parseKeyring(`two:${two.toString('base64url')}, one:${one.toString('base64')}`);
  assert.equal(after.current, 'two');
  assert.equal(after.open(before.seal('password', 'x'), 'x'), 'password');
  assert.equal(after.keyIdOf(after.seal('password', 'x')), 'two');
});

test('a bad entry is named by its place and id, never with its key', () => {
  const key = one.toString('base64');
  const bad = {
    [`one:${key},two:${key.slice(8)}`]: /^encryption key 2, "two", is not 32 bytes in base64$/,
    [`one:${key}*`]: /^encryption key 1, "one", is not 32 bytes/,
    [key]: /^encryption key 1 does not read id:base64$/,
    [`${key}:one`]: /^encryption key 1 does not read id:base64$/,
    [`${one.toString('base64url')}:one`]: /^encryption key 1 does not read id:base64$/,
    [`one:${key}:${key}`]: /^encryption key 1 does not read id:base64$/,
    [`one:${key},one:${key}`]: /^encryption key 2 has the id "one" again$/,
    '': /^encryption key 1 does not read id:base64$/,
  };
  for (const [text, message] of Object.entries(bad))
    assert.throws(() => parseKeyring(text), { message });
});

test('a keyring never shows its keys', () => {
  const keyring = createKeyring({ current: 'one', keys: { one } });
  const shown = inspect(keyring, { depth: Infinity, showHidden: true }) + JSON.stringify(keyring);
  for (const encoding of ['hex', 'base64', 'base64url', 'latin1'] as const) {
    assert.ok(!shown.includes(one.toString(encoding)));
  }
});
