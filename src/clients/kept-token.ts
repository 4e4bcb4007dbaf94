import { seconds, systemClock, type Clock, type Milliseconds } from '#time';
import type { Authentication } from './http-client.ts';

export type FetchedToken = {
  /** 'Bearer …', as it is sent. */
  readonly header: string;
  readonly lifetime: Milliseconds;
};

/** A token is renewed so long before it expires. */
const margin = seconds(30);

/** One token for all calls, kept until shortly before it expires, and fetched anew once when the system refuses it. */
export function keptToken(
  fetchToken: (signal: AbortSignal) => Promise<FetchedToken>,
  clock: Clock = systemClock,
): Authentication {
  let token: Promise<{ header: string; renewAt: Milliseconds }> | undefined;

  async function renewed() {
    // Whoever comes first fetches it for all who wait: it has a time limit of its own, and nobody's signal ends it.
    const { header, lifetime } = await fetchToken(new AbortController().signal);
    return { header, renewAt: clock.monotonic() + lifetime - margin };
  }

  return {
    async header(signal) {
      const current = token;
      const kept = current && (await orAborted(current, signal).catch(() => undefined));
      signal.throwIfAborted();
      if (kept && kept.renewAt > clock.monotonic()) return { authorization: kept.header };
      if (token === current || !token) token = renewed();
      return { authorization: (await orAborted(token, signal)).header };
    },
    refused() {
      const hadOne = token !== undefined;
      token = undefined;
      return hadOne;
    },
  };
}

/** Waits for the promise, but not longer than the signal allows. */
async function orAborted<Result>(promise: Promise<Result>, signal: AbortSignal): Promise<Result> {
  signal.throwIfAborted();
  const aborted = Promise.withResolvers<never>();
  const onAbort = () => aborted.reject(signal.reason);
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    return await Promise.race([promise, aborted.promise]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}
