import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isNetwork, liesWithin, overlap } from './networks.ts';
import { isLower, isVersion, skipsMinor } from './versions.ts';

test('a network has four bytes, a prefix, and no bits beyond it', () => {
  for (const network of ['10.250.0.0/16', '0.0.0.0/0', '255.255.255.255/32', '10.250.4.0/22'])
    assert.equal(isNetwork(network), true, network);
  for (const none of [
    '',
    '10.250.0.0',
    '10.250.0.0/33',
    '10.250.0.0/-1',
    '10.250.0.0/016',
    '10.250.0/16',
    '10.256.0.0/16',
    '010.250.0.0/16',
    '10.250.1.0/16',
    'fd00::/8',
    ' 10.250.0.0/16',
  ])
    assert.equal(isNetwork(none), false, none);
});

test('networks overlap when one lies in the other', () => {
  for (const [one, other, expected] of [
    ['10.250.0.0/16', '10.250.4.0/22', true],
    ['10.250.4.0/22', '10.250.0.0/16', true],
    ['10.250.0.0/16', '10.250.0.0/16', true],
    ['10.250.0.0/16', '10.251.0.0/16', false],
    ['0.0.0.0/0', '255.255.255.255/32', true],
    ['10.250.0.0/16', 'none', false],
  ] as const)
    assert.equal(overlap(one, other), expected, `${one} and ${other}`);
  assert.equal(liesWithin('10.250.4.0/22', '10.250.0.0/16'), true);
  assert.equal(liesWithin('10.250.0.0/16', '10.250.4.0/22'), false);
});

test('versions are compared as numbers, and one minor version is one step', () => {
  assert.equal(isLower('1.9.0', '1.10.0'), true);
  assert.equal(isLower('1.10.0', '1.9.0'), false);
  assert.equal(isLower('1.26.5', '1.26.5'), false);
  assert.equal(isLower('1.26.5', '1.26.10'), true);
  assert.equal(skipsMinor('1.27.9', '1.26.0'), false);
  assert.equal(skipsMinor('1.28.0', '1.26.9'), true);
  assert.equal(skipsMinor('2.0.0', '1.26.9'), true);
  for (const none of ['', '1', '1.26', 'v1.26.5', '1.26.5-rc', '01.2.3'])
    assert.equal(isVersion(none), false, none);
});
