import { SystemError } from '#clients';
import { wait } from '#engine';
import type { Milliseconds } from '#time';

/** LMS means all its refusals for good, and yet the next answer may be another one: they are waited out within the step's limit. */
export async function refusalsWaitedOut<Result>(
  pause: Milliseconds,
  ask: () => Promise<Result>,
): Promise<Result | ReturnType<typeof wait>> {
  try {
    return await ask();
  } catch (error) {
    if (!(error instanceof SystemError) || error.system !== 'lms' || error.temporary) throw error;
    return wait(pause, error.message, 'lms');
  }
}
