import type { StageShown, StepRun } from '../api-types.ts';

/** A part of a row's bar, in milliseconds since the epoch. */
export type Piece = {
  readonly from: number;
  readonly to: number;
  readonly outcome: string;
  /** Between two runs, or between the last one and the next try. */
  readonly isPause?: boolean;
};

export type StageRow = {
  readonly kind: 'stage';
  readonly key: string;
  readonly name: string;
  readonly state: StageShown['state'];
  readonly span: Piece | undefined;
};
export type StepRow = {
  readonly kind: 'step';
  readonly key: string;
  readonly name: string;
  readonly stage: string;
  readonly about: string | undefined;
  readonly owner: string | undefined;
  /** Folded, unless somebody wants to see them. Empty for what has not run yet. */
  readonly runs: readonly StepRun[];
};
export type RunRow = { readonly kind: 'run'; readonly key: string; readonly run: StepRun };
export type Row = StageRow | StepRow | RunRow;

/** Stages with their steps, in the order in which they ran, and after them what is still ahead. */
export function groupRuns(
  stages: readonly StageShown[],
  runs: readonly StepRun[],
): readonly (StageRow & { readonly steps: readonly StepRow[] })[] {
  const byStage = new Map<string, Map<string, StepRun[]>>();
  for (const { name } of stages) byStage.set(name, new Map());
  for (const run of runs) {
    const steps = byStage.get(run.stage) ?? new Map<string, StepRun[]>();
    byStage.set(run.stage, steps);
    const own = steps.get(run.step);
    if (own) own.push(run);
    else steps.set(run.step, [run]);
  }
  return [...byStage].map(([name, steps]) => {
    const known = stages.find((each) => each.name === name);
    const later = (known?.steps ?? []).filter((each) => !steps.has(each.name));
    const about = new Map((known?.steps ?? []).map((each) => [each.name, each]));
    const stepRow = (step: string, own: readonly StepRun[]): StepRow => ({
      kind: 'step',
      key: `${name}/${step}`,
      name: step,
      stage: name,
      about: about.get(step)?.about,
      owner: about.get(step)?.owner,
      runs: own,
    });
    return {
      kind: 'stage',
      key: name,
      name,
      state: known?.state ?? 'finished',
      span: spanOf([...steps.values()].flat()),
      steps: [
        ...[...steps].map(([step, own]) => stepRow(step, own)),
        // Steps of a finished stage that left no trace were not meant for this operation.
        ...(known?.state === 'finished' ? [] : later.map((each) => stepRow(each.name, []))),
      ],
    };
  });
}

/** One line after the other, for a list that only draws what can be seen. */
export const flattened = (
  groups: ReturnType<typeof groupRuns>,
  isOpen: (key: string) => boolean,
): readonly Row[] =>
  groups.flatMap(({ steps, ...stage }) => [
    stage,
    ...steps.flatMap((step): Row[] => [
      step,
      ...(isOpen(step.key)
        ? step.runs.map((run): RunRow => ({ kind: 'run', key: `${step.key}/${run.number}`, run }))
        : []),
    ]),
  ]);

const waits = ['wait', 'retry'];

/**
 * The bar of a step: its runs, and the pauses after those that have to be tried again. Neighbours that would touch on the
 * screen are one piece: a step that ran ten thousand times has no more pieces than there are places for them.
 */
export function piecesOf(
  runs: readonly StepRun[],
  until: number | undefined,
  resolution: number,
): Piece[] {
  const pieces: Piece[] = [];
  const add = (piece: Piece) => {
    const last = pieces.at(-1);
    const isSame = last?.outcome === piece.outcome && last.isPause === piece.isPause;
    const isNear = last && piece.from - last.to <= resolution;
    const isInOnePlace = last && piece.to - last.from <= resolution;
    if (last && ((isSame && isNear) || isInOnePlace))
      pieces[pieces.length - 1] = { ...last, to: Math.max(last.to, piece.to) };
    else if (!piece.isPause || piece.to - piece.from > resolution) pieces.push(piece);
  };
  for (const [index, run] of runs.entries()) {
    const [from, to] = [Date.parse(run.startedAt), Date.parse(run.endedAt)];
    add({ from, to, outcome: run.outcome });
    const next = runs[index + 1];
    const end = next ? Date.parse(next.startedAt) : until;
    if (waits.includes(run.outcome) && end !== undefined && end > to)
      add({ from: to, to: end, outcome: run.outcome, isPause: true });
  }
  return pieces;
}

function spanOf(runs: readonly StepRun[]): Piece | undefined {
  let [from, to] = [Infinity, -Infinity];
  for (const { startedAt, endedAt } of runs) {
    from = Math.min(from, Date.parse(startedAt));
    to = Math.max(to, Date.parse(endedAt));
  }
  return from === Infinity ? undefined : { from, to, outcome: 'done' };
}
