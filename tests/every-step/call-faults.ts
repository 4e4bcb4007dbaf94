import { createHash } from 'node:crypto';
import { idPattern } from './comparable.ts';
import type { Fault, Played } from './play.ts';

const unavailable = { kind: 'answer', status: 503, body: '', headers: {} } as const;
const actions: Readonly<Record<string, Fault['action']>> = {
  'is answered with 503': unavailable,
  'finds a broken connection': { kind: 'reset' },
  'is done, but its answer is lost': { kind: 'lost answer' },
};

export type CallFault = { readonly name: string; readonly fault: Fault };

/** Everything that can befall each of the calls, one at a time. */
export function callFaults(
  requests: Played['requests'],
  callers: readonly string[],
  drawn?: RegExp,
): CallFault[] {
  const anyName = new RegExp([idPattern, ...(drawn ? [drawn] : [])].map(sourceOf).join('|'), 'g');
  const seen = new Map<string, number>();
  const count = (call: string) => {
    const nth = (seen.get(call) ?? 0) + 1;
    seen.set(call, nth);
    return nth;
  };
  return requests
    .filter(({ by }) => callers.includes(by))
    .flatMap(({ system, method, path, fields: [field] = [] }) => {
      const call = `${system} ${method} ${path}`;
      // What was turned away before anybody read it has no field, and is one of all the calls there.
      const ofPath = count(call);
      const nth = field === undefined ? ofPath : count(`${call} ${field}`);
      const where = { system, method, path: exactly(path, anyName), nth, ...(field && { field }) };
      const which = `call ${nth} of ${call.replace(anyName, '…')} ${field ?? ''}`.trim();
      return Object.entries(actions).map(([what, action]) => ({
        name: `${which} ${what}`,
        fault: { ...where, action },
      }));
    });
}

/** The same ones in every run, and spread over all of them; a call more or less changes nothing for the others. */
export const sample = <Case extends { readonly name: string }>(
  cases: readonly Case[],
  size: number,
): Case[] =>
  cases
    .map((each) => ({ each, rank: createHash('sha256').update(each.name).digest('hex') }))
    .toSorted((a, b) => (a.rank < b.rank ? -1 : 1))
    .slice(0, size)
    .map(({ each }) => each);

const sourceOf = ({ source }: RegExp) => `(?:${source})`;

/** Ids are others in every run, and values that may be credentials were not noted. */
function exactly(path: string, anyName: RegExp): string {
  const parts = path.split(anyName).map((part) => RegExp.escape(part));
  return `^${parts.join(`(?:${anyName.source})`).replaceAll('…', '[^&]*')}$`;
}
