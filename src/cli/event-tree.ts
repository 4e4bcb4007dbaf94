import { paintedState, type Paint } from './output/colours.ts';
import { oneLine } from './output/table.ts';
import { roughly, since } from './output/times.ts';
import { operationsIn } from './runtime-columns.ts';
import type { Runtime, StoredEvent } from './service/shapes.ts';

export const eventLevels = ['all', 'info', 'error', 'none'] as const;

/** Below a runtime: its operations, and below each of them what happened, with repetitions in one line. */
export function eventTree(
  runtime: Runtime,
  events: readonly StoredEvent[],
  level: string,
  colour: Paint,
  now: Date,
): string[] {
  const own = events.filter(
    ({ InstanceID, Level }) =>
      InstanceID === runtime.instanceID && (level === 'all' || Level === level),
  );
  return operationsIn(runtime.status).flatMap(({ operationID, kind, state }) => {
    const here = merged(own.filter(({ OperationID }) => OperationID === operationID));
    return [
      `├─ ${kind} ${operationID} ${paintedState(state, colour)}`,
      ...here.map(({ last, first, count }, at) => {
        const mark = at === here.length - 1 ? '└─' : '├─';
        return `│  ${mark} ${levelText(last.Level, colour)}  ${occurrence(first, last, count, now)}  ${oneLine(last.Message)}`;
      }),
    ];
  });
}

type Merged = { first: StoredEvent; last: StoredEvent; count: number };

/** The same message again is the same event, seen more often. */
export function merged(events: readonly StoredEvent[]): Merged[] {
  const byMessage = new Map<string, Merged>();
  for (const event of events) {
    const key = `${event.Level} ${event.Message}`;
    const before = byMessage.get(key);
    if (before) Object.assign(before, { last: event, count: before.count + 1 });
    else byMessage.set(key, { first: event, last: event, count: 1 });
  }
  return [...byMessage.values()];
}

/** `3m ago (5x in last 2h)` */
function occurrence(first: StoredEvent, last: StoredEvent, count: number, now: Date): string {
  const ago = `${roughly(since(last.CreatedAt, now))} ago`;
  return count === 1 ? ago : `${ago} (${count}x in last ${roughly(since(first.CreatedAt, now))})`;
}

const levelText = (level: string, colour: Paint) =>
  level === 'error' ? colour('red', level) : level.padEnd(5);
