import type { RetryPolicy } from '#engine';
import type { Milliseconds } from '#time';

/** Always the same pause, within the limit if there is one: as often as the systems are used to be asked. */
export const steady = (
  every: Milliseconds,
  within?: Milliseconds,
): RetryPolicy & { readonly otherwise: 'fail' } => ({
  every,
  upTo: every,
  otherwise: 'fail',
  ...(within !== undefined && { within }),
});
