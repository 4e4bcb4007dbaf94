import { computed, signal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { EventParser } from './event-stream.ts';
import { ApiError, call } from './request.ts';

type StreamState = 'opening' | 'live' | 'reconnecting';
const streams = signal<ReadonlyMap<symbol, StreamState>>(new Map());

/** Whether news arrive, for the sign at the top of the page. */
export const liveness = computed(() => {
  const states = [...streams.value.values()];
  if (states.includes('reconnecting')) return 'reconnecting';
  return states.includes('live') ? 'live' : 'off';
});

export type OnEvent = (event: string, data: unknown) => void;

const firstPause = 500;
const longestPause = 15_000;

/**
 * Calls `onEvent` for everything that the stream tells, until the component is gone or the path is undefined. A stream
 * that breaks is opened again; what was told meanwhile is missing, and that is told as a `gap`.
 */
export function useStream(path: string | undefined, onEvent: OnEvent): void {
  const latest = useRef(onEvent);
  latest.current = onEvent;
  useEffect(() => {
    if (path === undefined) return;
    const gone = new AbortController();
    void follow(path, (event, data) => latest.current(event, data), gone.signal);
    return () => gone.abort();
  }, [path]);
}

async function follow(path: string, onEvent: OnEvent, gone: AbortSignal): Promise<void> {
  const name = Symbol(path);
  const tell = (state: StreamState | undefined) => {
    const changed = new Map(streams.value);
    changed.delete(name);
    if (state !== undefined) changed.set(name, state);
    streams.value = changed;
  };
  gone.addEventListener('abort', () => tell(undefined), { once: true });
  let pause = firstPause;
  for (let attempt = 0; !gone.aborted; attempt += 1) {
    try {
      const response = await call('GET', path, { signal: gone, accept: 'text/event-stream' });
      if (attempt > 0) onEvent('gap', {});
      tell('live');
      pause = firstPause;
      await readAll(response, onEvent);
    } catch (error) {
      if (gone.aborted) return;
      // No right, or not there: asking again changes nothing.
      if (error instanceof ApiError && error.status >= 400 && error.status < 500) {
        tell(undefined);
        return;
      }
    }
    if (gone.aborted) return;
    tell('reconnecting');
    await pauseFor(pause * (0.5 + Math.random() / 2), gone);
    pause = Math.min(pause * 2, longestPause);
  }
}

async function readAll(response: Response, onEvent: OnEvent): Promise<void> {
  const parser = new EventParser();
  const text = response.body?.pipeThrough(new TextDecoderStream());
  if (!text) return;
  for await (const piece of text)
    for (const { event, data } of parser.read(piece)) onEvent(event, JSON.parse(data));
}

const pauseFor = (duration: number, gone: AbortSignal) =>
  new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, duration);
    gone.addEventListener('abort', () => (clearTimeout(timer), resolve()), { once: true });
  });
