import { randomInt } from 'node:crypto';

const longest = 36;
const randomLetters = 5;
const alphabet = 'abcdefghijklmnopqrstuvwxyz';

/**
 * How provisioner and Reconciler call the runtime: the customer's name for it, and letters that tell it from others of the
 * same name. Drawn once and stored, so that both call it the same.
 */
export function newClusterName(name: string): string {
  const kept = name
    .replace(/[^a-z0-9.-]/gi, '')
    .toLowerCase()
    .slice(0, longest - randomLetters - 1);
  const letters = Array.from({ length: randomLetters }, () => alphabet[randomInt(alphabet.length)]);
  return `${kept}-${letters.join('')}`;
}
