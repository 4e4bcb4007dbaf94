import { minutes, seconds, type Milliseconds } from '#time';

type Phase = { readonly status: string; readonly lasts: Milliseconds };

const installing: readonly Phase[] = [
  { status: 'reconciling', lasts: seconds(170) },
  { status: 'ready', lasts: Infinity },
];
const removing: readonly Phase[] = [
  { status: 'deleting', lasts: seconds(110) },
  { status: 'gone', lasts: Infinity },
];

/** What follows by itself after a status was set. A status that begins no course stays as it is. */
const courses: Readonly<Record<string, readonly Phase[]>> = {
  reconcile_pending: [{ status: 'reconcile_pending', lasts: seconds(10) }, ...installing],
  reconcile_error_retryable: [
    { status: 'reconcile_error_retryable', lasts: minutes(5) },
    ...installing,
  ],
  delete_pending: [{ status: 'delete_pending', lasts: seconds(10) }, ...removing],
  delete_error_retryable: [{ status: 'delete_error_retryable', lasts: minutes(5) }, ...removing],
};

/**
 * The statuses so far, each with the time at which it began. `gone`: the rows are renamed, and nobody finds them any more.
 * What cannot be installed ends in an error where it would be ready.
 */
export function statusesUntil(
  set: string,
  elapsed: Milliseconds,
  isBroken: boolean,
): { readonly status: string; readonly from: Milliseconds }[] {
  let from = 0;
  const all = (courses[set] ?? [{ status: set, lasts: Infinity }]).map(({ status, lasts }) => {
    const began = { status: isBroken && status === 'ready' ? 'error' : status, from };
    from += lasts;
    return began;
  });
  return all.filter((each) => each.from <= elapsed);
}

/** How long one waits for the work on the components that a status begins, and how long it lasts; undefined: it begins none. */
export function workAfter(set: string) {
  const [waiting, working] = courses[set] ?? [];
  return waiting && working && { waits: waiting.lasts, lasts: working.lasts };
}

/** What an operator may set, and a test, to bring a cluster into trouble. */
export const settable: readonly string[] = [
  'reconcile_pending',
  'reconciling',
  'reconcile_error_retryable',
  'reconcile_disabled',
  'ready',
  'error',
  'delete_pending',
  'deleting',
  'delete_error_retryable',
  'delete_error',
];
