import assert from 'node:assert/strict';
import type { Played, Trouble } from './play.ts';

/** One thing that may go wrong. */
export type Case = { readonly name: string; readonly trouble: Trouble };

/**
 * All of it goes wrong in one run, which is as good as a run for each while everything is well. If it is not, or if the run
 * took another way and did not come by, each is looked at by itself, and the guilty are named.
 */
export async function checkTogether(
  cases: readonly Case[],
  check: (trouble: Trouble) => Promise<Played>,
): Promise<void> {
  const checkAlone = async ({ trouble }: Case) => {
    const { unused } = await check(trouble);
    assert.deepEqual(unused, [], 'the call that was to be broken was not made');
  };
  const [only, ...others] = cases;
  if (!only) return;
  if (others.length === 0) return checkAlone(only);

  const together = await outcomeOf(check(joined(cases)));
  const unused = together.status === 'fulfilled' ? together.value.unused : [];
  const suspects =
    together.status === 'rejected'
      ? cases
      : cases.filter(({ trouble }) => trouble.faults?.some((fault) => unused.includes(fault)));
  const guilty = [];
  for (const suspect of suspects) {
    const alone = await outcomeOf(checkAlone(suspect));
    if (alone.status === 'rejected') guilty.push({ name: suspect.name, reason: alone.reason });
  }
  const [first] = guilty;
  if (first) {
    const names = guilty.map(({ name }) => name).join('; ');
    throw new Error(`not safe: ${names}`, { cause: first.reason });
  }
  if (together.status === 'rejected') {
    const names = cases.map(({ name }) => name).join('; ');
    throw new Error(`safe one by one, but not together: ${names}`, { cause: together.reason });
  }
}

async function outcomeOf<Result>(work: Promise<Result>): Promise<PromiseSettledResult<Result>> {
  const [outcome] = await Promise.allSettled([work]);
  return outcome;
}

/** The disturbances are of the same operation. */
export function joined(cases: readonly Case[]): Trouble {
  const disturbances = cases.flatMap(({ trouble }) => trouble.disturbance ?? []);
  const [first] = disturbances;
  return {
    ...(first && {
      disturbance: { ...first, steps: disturbances.flatMap(({ steps }) => steps) },
    }),
    faults: cases.flatMap(({ trouble }) => trouble.faults ?? []),
  };
}
