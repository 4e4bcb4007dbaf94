import type { Explanation, StepRun } from '../api-types.ts';
import { toneOf } from '../parts/state-badge.tsx';
import { inWords } from '../parts/time.ts';
import {
  piecesOf,
  type Piece,
  type Row,
  type RunRow,
  type StageRow,
  type StepRow,
} from './rows.ts';

export type TimeAxis = {
  readonly start: number;
  readonly span: number;
  readonly end: number;
  /** Nothing grows any more. */
  readonly isOver: boolean;
};

type LineProps<Of extends Row> = {
  readonly row: Of;
  readonly index: number;
  readonly top: number;
  readonly axis: TimeAxis;
  readonly current: Explanation | undefined;
  readonly isOpen: boolean;
  readonly onToggle: (key: string) => void;
};

export function Line(props: LineProps<Row>) {
  const { row, index, top } = props;
  const isAhead =
    (row.kind === 'stage' && row.state === 'ahead') ||
    (row.kind === 'step' && row.runs.length === 0);
  return (
    <div
      class={`line ${row.kind} ${isAhead ? 'ahead' : ''}`}
      role="row"
      aria-rowindex={index + 2}
      style={{ top: `${top}px` }}
    >
      {row.kind === 'stage' && <StageLine {...props} row={row} />}
      {row.kind === 'step' && <StepLine {...props} row={row} />}
      {row.kind === 'run' && <RunLine {...props} row={row} />}
    </div>
  );
}

function StageLine({ row, axis }: LineProps<StageRow>) {
  const { name, state, span } = row;
  const note = span ? inWords(span.to - span.from) : state === 'ahead' ? 'to come' : '';
  return (
    <>
      <div class="name" role="rowheader" title={name}>
        <span>{name}</span>
      </div>
      <Track axis={axis} pieces={[]} note={note} at={span} label={`stage ${state}, ${note}`} />
    </>
  );
}

function StepLine({ row, axis, current, isOpen, onToggle }: LineProps<StepRow>) {
  const { name, stage, runs, about, owner } = row;
  const last = runs.at(-1);
  const isCurrent = !axis.isOver && current?.step === name && current.stage === stage;
  const pieces = piecesOf(runs, isCurrent ? axis.end : undefined, axis.span / 500);
  const count = runs.reduce((sum, run) => sum + run.runs, 0);
  const title = [name, about, owner && `owner: ${owner}`].filter(Boolean).join('\n');
  const note = last
    ? `${inWords(runs.reduce((sum, run) => sum + run.durationMs, 0))}${reasonOf(last)}`
    : isCurrent
      ? 'running'
      : '';
  return (
    <>
      <div class="name" role="rowheader" title={title}>
        {runs.length > 0 && (
          <button
            type="button"
            aria-expanded={isOpen}
            aria-label={`Runs of ${name}`}
            onClick={() => onToggle(row.key)}
          >
            {isOpen ? '▾' : '▸'}
          </button>
        )}
        <span>{name}</span>
        {count > 1 && <span class="count">{count} ×</span>}
      </div>
      <Track
        axis={axis}
        pieces={pieces}
        note={note}
        at={wholeOf(pieces)}
        label={last ? `${last.outcome}, ${note}` : note || 'to come'}
      />
    </>
  );
}

function RunLine({ row: { run }, axis }: LineProps<RunRow>) {
  const piece = piecesOf([run], undefined, 0);
  const times = run.runs > 1 ? `, ${run.runs} times` : '';
  const note = `${run.outcome}${times}, ${inWords(run.durationMs)}${reasonOf(run)}`;
  const details = `${note}\nfrom ${run.startedAt}\nto ${run.endedAt}\non ${run.replica}`;
  return (
    <>
      <div class="name" role="rowheader" title={details}>
        <span>
          attempt {run.attempt}: {run.outcome}
        </span>
      </div>
      <Track axis={axis} pieces={piece} note={note} at={piece[0]} label={details} />
    </>
  );
}

type TrackProps = {
  readonly axis: TimeAxis;
  readonly pieces: readonly Piece[];
  readonly note: string;
  /** What the note stands beside. */
  readonly at: Piece | undefined;
  readonly label: string;
};

function Track({ axis, pieces, note, at, label }: TrackProps) {
  const share = (time: number) =>
    Math.min(100, Math.max(0, ((time - axis.start) / axis.span) * 100));
  return (
    <div class="track" role="cell" aria-label={label} title={label}>
      {pieces.map((piece) => {
        const [from, to] = [share(piece.from), share(piece.to)];
        return (
          <i
            key={`${piece.from} ${piece.outcome} ${piece.isPause}`}
            class={`piece fill-${toneOf(piece.outcome)} ${piece.isPause ? 'pause' : piece.outcome}`}
            style={{ left: `${Math.min(from, 99.6)}%`, width: `${to - from}%` }}
          />
        );
      })}
      <Note text={note} from={at ? share(at.from) : 0} to={at ? share(at.to) : 0} />
    </div>
  );
}

/** After the bar, before it, or over its end: where there is room. */
function Note({
  text,
  from,
  to,
}: {
  readonly text: string;
  readonly from: number;
  readonly to: number;
}) {
  const [before, after] = [from, 100 - to];
  const where = Math.max(before, after) < 40 ? 'over' : after >= before ? 'after' : 'before';
  const style =
    where === 'after' ? { left: `${to}%` } : where === 'before' ? { right: `${100 - from}%` } : {};
  return (
    <span class={`note ${where}`} style={style} aria-hidden="true">
      {text}
    </span>
  );
}

function wholeOf(pieces: readonly Piece[]): Piece | undefined {
  const [first, last] = [pieces[0], pieces.at(-1)];
  return first && last && { ...first, to: last.to };
}

const reasonOf = ({ because, system }: StepRun) =>
  because === undefined || because === null ? '' : ` · ${system ? `${system}: ` : ''}${because}`;
