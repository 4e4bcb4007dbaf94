import assert from 'node:assert/strict';
import { test } from 'node:test';
import { block, formatCidr, isCanonical, overlap, parseCidr, type Cidr } from './cidr.ts';

const range = (text: string): Cidr => {
  const parsed = parseCidr(text);
  assert.ok(parsed, text);
  return parsed;
};

test('ranges are read and written', () => {
  for (const text of ['0.0.0.0/0', '10.250.0.0/22', '255.255.255.255/32', '192.168.7.9/8']) {
    assert.equal(formatCidr(range(text)), text);
  }
});

test('what is no range of IPv4 addresses is not read', () => {
  const table = [
    '',
    '10.0.0.0',
    '10.0.0/8',
    '10.0.0.0/33',
    '10.0.0.0/-1',
    '10.0.0.0/08',
    '256.0.0.0/8',
  ];
  for (const text of [...table, '10.0.0.0/8/8', 'fd00::/8', ' 10.0.0.0/8', '10.0.0.0/8 ']) {
    assert.equal(parseCidr(text), undefined, text);
  }
});

test('a canonical range begins with its address', () => {
  assert.ok(isCanonical(range('10.250.0.0/22')));
  assert.ok(isCanonical(range('0.0.0.0/0')));
  assert.ok(!isCanonical(range('10.250.1.0/22')));
});

test('ranges overlap if one contains the other', () => {
  const table = [
    ['10.0.0.0/8', '10.250.0.0/22', true],
    ['10.250.0.0/22', '10.250.3.255/32', true],
    ['10.250.0.0/22', '10.250.4.0/22', false],
    ['200.0.0.0/8', '0.0.0.0/0', true],
    ['10.96.0.0/13', '10.104.0.0/13', false],
  ] as const;
  for (const [one, other, expected] of table) {
    assert.equal(overlap(range(one), range(other)), expected, `${one} ${other}`);
    assert.equal(overlap(range(other), range(one)), expected, `${other} ${one}`);
  }
});

test('a range falls into blocks, and has no more of them than fit', () => {
  assert.equal(formatCidr(block(range('10.250.0.0/16'), 3, 1)), '10.250.32.0/19');
  assert.equal(formatCidr(block(range('200.0.0.0/8'), 1, 1)), '200.128.0.0/9');
  assert.throws(() => block(range('10.250.0.0/16'), 3, 8), /no block 8 of \/19/);
  assert.throws(() => block(range('10.250.0.0/31'), 3, 0), /no block 0 of \/34/);
});
