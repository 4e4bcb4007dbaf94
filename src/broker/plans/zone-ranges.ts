import { createHash } from 'node:crypto';
import { block, formatCidr, type Cidr } from './cidr.ts';

/** A zone takes two of the eight blocks of the nodes' range. */
export const mostZones = 4;
const bits = 3;

/** So many of the zones, scattered over all clusters, and always the same for the same seed. */
export function chooseZones(zones: readonly string[], count: number, seed: string): string[] {
  const lot = (zone: string) => createHash('sha256').update(`${seed} ${zone}`).digest('hex');
  const chosen = zones.toSorted((one, other) => (lot(one) < lot(other) ? -1 : 1)).slice(0, count);
  return zones.filter((zone) => chosen.includes(zone));
}

/** Workers in the first block of each zone; the second is halved for what faces the public and what does not. */
export function awsZones(zones: readonly string[], nodes: Cidr) {
  return zones.map((name, index) => ({
    name,
    workerCidr: formatCidr(block(nodes, bits, 2 * index)),
    publicCidr: formatCidr(block(nodes, bits + 1, 4 * index + 2)),
    internalCidr: formatCidr(block(nodes, bits + 1, 4 * index + 3)),
  }));
}

export function azureZones(zones: readonly string[], nodes: Cidr) {
  return zones.map((name, index) => ({
    name: Number(name),
    cidr: formatCidr(block(nodes, bits, index)),
  }));
}
