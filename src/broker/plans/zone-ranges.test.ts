import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseCidr } from './cidr.ts';
import { awsZones, azureZones, chooseZones, mostZones } from './zone-ranges.ts';

const nodes = parseCidr('10.250.0.0/16') ?? assert.fail();

test('a zone of AWS takes a block for workers and two halves of the next one', () => {
  assert.deepEqual(awsZones(['a', 'b'], nodes), [
    {
      name: 'a',
      workerCidr: '10.250.0.0/19',
      publicCidr: '10.250.32.0/20',
      internalCidr: '10.250.48.0/20',
    },
    {
      name: 'b',
      workerCidr: '10.250.64.0/19',
      publicCidr: '10.250.96.0/20',
      internalCidr: '10.250.112.0/20',
    },
  ]);
});

test('as many zones of AWS fit as may be asked for, and not one more', () => {
  const zones = ['a', 'b', 'c', 'd', 'f'];
  assert.equal(awsZones(zones.slice(0, mostZones), nodes).at(-1)?.internalCidr, '10.250.240.0/20');
  assert.throws(() => awsZones(zones, nodes), RangeError);
});

test('a zone of Azure takes one block', () => {
  assert.deepEqual(azureZones(['1', '3'], nodes), [
    { name: 1, cidr: '10.250.0.0/19' },
    { name: 3, cidr: '10.250.32.0/19' },
  ]);
});

test('the same seed gives the same zones, and other seeds give all of them', () => {
  const zones = ['1', '2', '3'];
  const seeds = Array.from({ length: 50 }, (_, index) => `instance-${index}`);
  for (const seed of seeds) {
    assert.deepEqual(chooseZones(zones, 1, seed), chooseZones(zones, 1, seed));
  }
  const all = seeds.flatMap((seed) => chooseZones(zones, 1, seed));
  assert.deepEqual([...new Set(all)].toSorted(), zones);
});

test('a region with too few zones gives all it has', () => {
  assert.deepEqual(chooseZones(['a', 'b'], 3, 'seed'), ['a', 'b']);
});
