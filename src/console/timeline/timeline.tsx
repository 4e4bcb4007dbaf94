import { useMemo, useState } from 'preact/hooks';
import type { OperationInDetail, StepRun } from '../api-types.ts';
import { counted } from '../parts/counted.ts';
import { now } from '../parts/moment.tsx';
import { inWords, tickDistance } from '../parts/time.ts';
import { Line } from './line.tsx';
import { flattened, groupRuns } from './rows.ts';

const lineHeight = 28;
const highest = 560;
/** Lines drawn beyond what can be seen, so that scrolling shows no holes. */
const reserve = 8;

type TimelineProps = {
  readonly operation: OperationInDetail;
  readonly runs: readonly StepRun[];
};

/** Stages and steps as bars on a time axis. Only the lines that can be seen are drawn. */
export function Timeline({ operation, runs }: TimelineProps) {
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set());
  const [firstSeen, setFirstSeen] = useState(0);
  const groups = useMemo(() => groupRuns(operation.stages, runs), [operation.stages, runs]);
  const rows = useMemo(() => flattened(groups, (key) => open.has(key)), [groups, open]);

  const start = Date.parse(operation.startedAt ?? operation.createdAt);
  const end = operation.endedAt === undefined ? now.value : Date.parse(operation.endedAt);
  const span = Math.max(end - start, 1);
  const height = Math.min(rows.length * lineHeight, highest);
  const first = Math.max(0, firstSeen - reserve);
  const last = Math.min(rows.length, firstSeen + Math.ceil(height / lineHeight) + reserve);
  const toggle = (key: string) => {
    const changed = new Set(open);
    if (!changed.delete(key)) changed.add(key);
    setOpen(changed);
  };
  return (
    <div class="timeline" role="table" aria-label="Timeline" aria-rowcount={rows.length + 1}>
      <Axis span={span} count={runs.length} />
      {/* Focusable, so that the keyboard can scroll it. */}
      <div
        class="window"
        role="rowgroup"
        tabIndex={0}
        aria-label="Stages and steps"
        style={{ height: `${height}px` }}
        onScroll={({ currentTarget }) =>
          setFirstSeen(Math.floor(currentTarget.scrollTop / lineHeight))
        }
      >
        <div role="presentation" style={{ height: `${rows.length * lineHeight}px` }}>
          {rows.slice(first, last).map((row, index) => (
            <Line
              key={row.key}
              row={row}
              index={first + index}
              top={(first + index) * lineHeight}
              axis={{ start, span, end, isOver: operation.endedAt !== undefined }}
              current={operation.explanation}
              isOpen={open.has(row.key)}
              onToggle={toggle}
            />
          ))}
        </div>
      </div>
    </div>
  );
}

function Axis({ span, count }: { readonly span: number; readonly count: number }) {
  const distance = tickDistance(span, 6);
  const ticks = Array.from(
    { length: Math.floor(span / distance) + 1 },
    (_, index) => index * distance,
  );
  return (
    <div class="axis" role="row">
      <div role="columnheader">{counted(count, 'record')}</div>
      <div role="columnheader">
        <b class="unseen">Time, {inWords(span)} in all</b>
        {ticks.map((tick) => (
          <span key={tick} aria-hidden="true" style={{ left: `${(tick / span) * 100}%` }}>
            {tick === 0 ? '0' : inWords(tick)}
          </span>
        ))}
      </div>
    </div>
  );
}
