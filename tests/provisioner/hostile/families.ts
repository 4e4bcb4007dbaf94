import { documents } from './documents.ts';
import type { Family, HostileRequest, Surroundings } from './hostile-request.ts';
import { inputs } from './inputs.ts';
import { introspection } from './introspection.ts';
import { mutants } from './mutants.ts';
import { Random } from './random.ts';
import { transports } from './transports.ts';

export type Generated = {
  readonly number: number;
  readonly family: string;
  readonly mayBeValid: boolean;
  readonly request: HostileRequest;
};

const familiesFor = (isIntrospectionOn: boolean): Readonly<Record<string, Family>> => ({
  ...documents,
  ...introspection(isIntrospectionOn),
  ...transports,
  ...inputs,
  ...mutants,
});

export type Wanted = Omit<Surroundings, 'random' | 'shootName'> & {
  readonly seed: number;
  /** Their numbers are in no other list. */
  readonly numbers: { readonly first: number; readonly last: number };
  readonly isIntrospectionOn: boolean;
  /** Of a Shoot that is there. */
  readonly takenName: string;
};

/** Requests of all families, one of each and then in their shares. The same seed gives the same ones. */
export function* hostileRequests({
  seed,
  numbers: { first, last },
  isIntrospectionOn,
  takenName,
  ...around
}: Wanted): Generator<Generated> {
  const random = new Random(seed + first);
  const families = Object.entries(familiesFor(isIntrospectionOn));
  const sum = families.reduce((total, [, { share }]) => total + share, 0);
  for (let number = first; number <= last; number += 1) {
    let left = random.next() * sum;
    const drawn = families.find(([, { share }]) => (left -= share) < 0);
    const [name, family] = families[number - first] ?? drawn ?? families[0]!;
    const { mayBeValid } = family;
    const shootName = random.chance(0.25) ? `h-${number}` : takenName;
    const request = family.make({ ...around, random, shootName });
    yield { number, family: name, mayBeValid, request };
  }
}
