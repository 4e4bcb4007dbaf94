import { useEffect, useRef, useState } from 'preact/hooks';
import type { OperationInDetail, StepRun } from '../api-types.ts';
import { useStream } from '../api/follow.ts';
import { get } from '../api/request.ts';
import { useAnswer } from '../api/use-loaded.ts';

const pageSize = 1_000;
const briefly = 500;

/** An operation with its whole timeline, live until it ends. */
export function useOperation(id: string) {
  const path = `/operations/${encodeURIComponent(id)}`;
  const { data, error, reload } = useAnswer<OperationInDetail>(path);
  const [told, setTold] = useState<OperationInDetail>();
  const latest = newest(data, told);
  const { runs, error: incomplete } = useRuns(path, latest);
  const held = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(held.current), []);
  useStream(latest?.endedAt === undefined ? `${path}/stream` : undefined, (event, news) => {
    if (event === 'gap') return reload();
    if (event !== 'operation') return;
    const operation = news as OperationInDetail; // the operator API says so
    clearTimeout(held.current);
    if (isRepeated(operation)) held.current = setTimeout(() => setTold(operation), briefly);
    else setTold(operation);
  });
  return { operation: latest, runs, error: error ?? incomplete, reload };
}

/** It runs once more, most likely to wait for the same thing in a moment: until then, why it waited stays to be read. */
const isRepeated = ({ explanation, endedAt }: OperationInDetail) =>
  endedAt === undefined && (explanation?.attempt ?? 1) > 1 && explanation?.because === undefined;

/** Both tell the whole; either may be older. */
function newest(data: OperationInDetail | undefined, told: OperationInDetail | undefined) {
  if (!data || !told) return data;
  return Date.parse(told.updatedAt) >= Date.parse(data.updatedAt) ? told : data;
}

/** All runs, though each answer has the first thousand at most. Old ones may have grown since. */
function useRuns(path: string, operation: OperationInDetail | undefined) {
  const [runs, setRuns] = useState<readonly StepRun[]>([]);
  const [error, setError] = useState<Error>();
  const known = useRef(new Map<number, StepRun>());
  useEffect(() => {
    if (!operation) return;
    const gone = new AbortController();
    const add = (more: readonly StepRun[]) => {
      for (const run of more) known.current.set(run.number, run);
      setRuns([...known.current.values()]);
    };
    add(operation.timeline);
    setError(undefined);
    if (operation.timelineTotal > operation.timeline.length)
      loadRest(path, operation, known.current, gone.signal).then(add, (failure: Error) => {
        if (!gone.signal.aborted) setError(failure);
      });
    return () => gone.abort();
  }, [operation]);
  return { runs, error };
}

async function loadRest(
  path: string,
  { timeline, timelineTotal }: OperationInDetail,
  known: ReadonlyMap<number, StepRun>,
  signal: AbortSignal,
): Promise<StepRun[]> {
  const rest: StepRun[] = [];
  // The last few that are known may have grown: waits that repeat are one line.
  let after = Math.max(
    timeline.at(-1)?.number ?? 0,
    (known.size > timeline.length ? known.size : 0) - 50,
  );
  while (after < timelineTotal) {
    const answer = await get<{ data: StepRun[] } | StepRun[]>(
      `${path}/timeline`,
      { after, limit: pageSize },
      signal,
    );
    const more = Array.isArray(answer) ? answer : answer.data;
    const last = more.at(-1);
    if (!last) break;
    rest.push(...more);
    after = last.number;
  }
  return rest;
}
