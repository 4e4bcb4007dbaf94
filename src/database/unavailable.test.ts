import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isConnectionError } from './unavailable.ts';

const withCode = (code: string, more = {}) => Object.assign(new Error(code), { code, ...more });

test('a lost, refused, starting or stopping server is a connection error', () => {
  for (const code of [
    '08006',
    '08P01',
    '57P01',
    '57P02',
    '57P03',
    '53300',
    'ECONNREFUSED',
    'ECONNRESET',
    'EPIPE',
  ]) {
    assert.ok(isConnectionError(withCode(code)), code);
  }
  assert.ok(isConnectionError(withCode('ENOENT', { syscall: 'connect' })));
  assert.ok(isConnectionError(new Error('Connection terminated unexpectedly')));
});

test('it is found as a cause, and among several errors', () => {
  const refused = withCode('ECONNREFUSED');
  assert.ok(isConnectionError(new Error('cannot claim', { cause: refused })));
  assert.ok(
    isConnectionError(
      new AggregateError([new Error('other'), new Error('outer', { cause: refused })]),
    ),
  );
});

test('a wrong query, a missing file and what is no error are none', () => {
  assert.ok(!isConnectionError(withCode('23505')));
  assert.ok(!isConnectionError(withCode('57014'))); // query_canceled
  assert.ok(!isConnectionError(withCode('ENOENT', { syscall: 'open' })));
  assert.ok(!isConnectionError('ECONNREFUSED'));
  assert.ok(!isConnectionError(undefined));
  const itself = new Error('of its own making');
  itself.cause = itself;
  assert.ok(!isConnectionError(itself));
});
