import { beginning, hashOf, type AuditEntry, type AuditHead } from './audit-entry.ts';

export type Verdict = {
  readonly ok: boolean;
  /** How many were looked at. */
  readonly entries: number;
  /** To be noted elsewhere, if all is well. */
  readonly head: AuditHead;
  /** The number of the first entry that is not as it was, or not there. */
  readonly brokenAt?: number;
  readonly because?: string;
};

/** Walks the whole chain, up to its head. `noted` is a head from before: the log must still contain it. */
export async function verifyChain(
  entries: AsyncIterable<AuditEntry>,
  head: AuditHead,
  noted?: AuditHead,
): Promise<Verdict> {
  let last = beginning;
  let count = 0;
  const broken = (brokenAt: number, because: string): Verdict => ({
    ok: false,
    entries: count,
    head,
    brokenAt,
    because,
  });
  for await (const entry of entries) {
    const problem = problemOf(entry, last, head, noted);
    if (problem) return broken(...problem);
    last = entry;
    count += 1;
  }
  if (last.number !== head.number)
    return broken(last.number + 1, `the log ends here, but its head is entry ${head.number}`);
  if (last.hash !== head.hash) return broken(head.number, 'the head is not the hash of this entry');
  if (noted && noted.number > head.number)
    return broken(head.number + 1, `the log ends before entry ${noted.number}, which was noted`);
  return { ok: true, entries: count, head };
}

function problemOf(
  entry: AuditEntry,
  last: AuditHead,
  head: AuditHead,
  noted: AuditHead | undefined,
): [brokenAt: number, because: string] | undefined {
  const { number } = entry;
  const expected = last.number + 1;
  if (number > expected) return [expected, `entry ${expected} is missing`];
  if (number < expected) return [number, `there is more than one entry ${number}`];
  if (number > head.number) return [number, 'it was added without the head'];
  if (entry.previous !== last.hash)
    return [number, 'it does not follow the entry before it: one of them was changed or put in'];
  if (entry.hash !== hashOf(entry)) return [number, 'its content is not what was hashed'];
  if (noted?.number === number && noted.hash !== entry.hash)
    return [number, 'it is not the one that was noted: the log was written anew'];
  return undefined;
}
