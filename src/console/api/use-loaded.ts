import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import type { Query } from './request.ts';
import { get, withQuery } from './request.ts';

export type Loaded<Answer> = {
  /** Of the last time that it went well. Stays while it is loaded again, so that nothing jumps. */
  readonly data: Answer | undefined;
  readonly error: Error | undefined;
  readonly isLoading: boolean;
  readonly reload: () => void;
};

type Result<Answer> = { readonly key: string; readonly data?: Answer; readonly error?: Error };

/** What `load` gives for the key; anew whenever the key changes, or somebody calls `reload`. */
export function useLoaded<Answer>(
  key: string | undefined,
  load: (signal: AbortSignal) => Promise<Answer>,
): Loaded<Answer> {
  const [result, setResult] = useState<Result<Answer>>({ key: '' });
  const [round, setRound] = useState(0);
  const [isLoading, setLoading] = useState(key !== undefined);
  const latest = useRef(load);
  latest.current = load;
  useEffect(() => {
    if (key === undefined) return;
    const gone = new AbortController();
    setLoading(true);
    latest
      .current(gone.signal)
      .then((data) => !gone.signal.aborted && setResult({ key, data }))
      .catch((error: Error) => {
        if (gone.signal.aborted) return;
        // What was there before is still better than nothing, beside the error.
        setResult((before) => (before.key === key ? { ...before, error } : { key, error }));
      })
      .finally(() => !gone.signal.aborted && setLoading(false));
    return () => gone.abort();
  }, [key, round]);
  const reload = useCallback(() => setRound((before) => before + 1), []);
  return { data: result.data, error: result.error, isLoading, reload };
}

export const useAnswer = <Answer>(path: string | undefined, query: Query = {}): Loaded<Answer> =>
  useLoaded(path === undefined ? undefined : withQuery(path, query), (signal) =>
    get<Answer>(path ?? '', query, signal),
  );

/** Calls it at once, and then at most this often, however often it is wanted. */
export function useThrottled(act: () => void, pause: number): () => void {
  const latest = useRef(act);
  latest.current = act;
  const state = useRef<{ timer?: ReturnType<typeof setTimeout>; again: boolean }>({ again: false });
  useEffect(() => () => clearTimeout(state.current.timer), []);
  return useCallback(() => {
    const own = state.current;
    if (own.timer !== undefined) {
      own.again = true;
      return;
    }
    const run = () => {
      latest.current();
      own.again = false;
      own.timer = setTimeout(() => {
        delete own.timer;
        if (own.again) run();
      }, pause);
    };
    run();
  }, [pause]);
}
