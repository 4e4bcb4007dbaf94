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
 * `gone`: the rows are renamed, and nobody finds them any more. What cannot be installed ends in an error where it would be
 * ready.
 */
export function statusAfter(set: string, elapsed: Milliseconds, isBroken = false): string {
  let left = elapsed;
  for (const { status, lasts } of courses[set] ?? []) {
    if (left < lasts) return isBroken && status === 'ready' ? 'error' : status;
    left -= lasts;
  }
  return set;
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
