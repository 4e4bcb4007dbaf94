import { inWords } from '#time';
import { paintedState, type Paint } from './output/colours.ts';
import { cut, oneLine } from './output/table.ts';
import { since, timeText } from './output/times.ts';
import type { Explanation, Operation, OperationDetail, StepRun } from './service/shapes.ts';

type Stages = OperationDetail['stages'];

/** An operation as it is now, in a few lines: what it is, its stages, and what it does or waits for. */
export function operationPicture(
  operation: Operation,
  stages: Stages,
  look: { readonly colour: Paint; readonly width: number | undefined; readonly now: Date },
): string[] {
  const { colour, width, now } = look;
  const { operationID, type, subject = '', state, explanation, finishedStages = [] } = operation;
  const isDone = (name: string) => finishedStages.includes(name);
  const lines = [
    `${colour('bold', type)} of ${operation.instanceID ?? subject}: ${paintedState(state, colour)}   ${colour('dim', operationID)}`,
    ...stages.map(({ name, state: was, steps }) => {
      const isCurrent = name === explanation.stage && !isDone(name);
      if (isDone(name) || was === 'finished') return `  ${colour('green', '✓')} ${name}`;
      if (!isCurrent) return `  ${colour('dim', `· ${name}`)}`;
      const at = steps.findIndex(({ name: step }) => step === explanation.step);
      const place = at < 0 ? '' : ` (step ${at + 1} of ${steps.length})`;
      return `  ${colour('cyan', '▸')} ${name}${place}`;
    }),
    ...explanationLines(explanation, now).map((line) => `  ${line}`),
  ];
  return width === undefined ? lines : lines.map((line) => cut(line, width));
}

/** All that is known about why it is where it is. */
export function explanationLines(explanation: Explanation, now: Date): string[] {
  const { summary, attempt, owner, since: from, nextTryAt, deadline, failure } = explanation;
  const system = explanation.system ?? explanation.waitingFor ?? failure?.system;
  const action = explanation.action ?? failure?.action;
  const rows: readonly (readonly [string, string | undefined])[] = [
    ['', summary],
    ['system', system],
    ['since', from && `${timeText(from)}, ${inWords(since(from, now))} ago`],
    ['attempt', attempt === undefined ? undefined : String(attempt)],
    ['next try', timeText(nextTryAt) || undefined],
    ['deadline', timeText(deadline) || undefined],
    ['owner', owner],
    ['canceling', explanation.canceling],
    ['left behind', explanation.notCompleted?.join(', ')],
    ['failure', failure && `${failure.class}: ${failure.message}`],
    ['reason', failure?.reason],
    ['what to do', action],
  ];
  return rows.flatMap(([label, text]) =>
    text ? [oneLine(label === '' ? text : `${label}: ${text}`)] : [],
  );
}

/** One line for logs; says nothing that changes with every look. */
export const operationNews = ({ type, state, explanation, updatedAt, createdAt }: Operation) => ({
  at: timeText(updatedAt ?? createdAt),
  text: oneLine(`${type} ${state}: ${explanation.summary}`),
});

export const timelineColumns = (colour: Paint) => [
  { header: 'STARTED', value: (run: StepRun) => timeText(run.startedAt), least: 19 },
  { header: 'STAGE', value: ({ stage }: StepRun) => stage, least: 12 },
  { header: 'STEP', value: ({ step }: StepRun) => step, least: 16 },
  {
    header: 'OUTCOME',
    value: ({ outcome }: StepRun) => outcome,
    colour: (text: string) => paintedState(text, colour),
  },
  { header: 'RUNS', value: ({ runs }: StepRun) => String(runs ?? 1), least: 4 },
  { header: 'ATTEMPT', value: ({ attempt }: StepRun) => String(attempt ?? ''), isWide: true },
  { header: 'TOOK', value: ({ durationMs }: StepRun) => inWords(durationMs ?? 0), least: 6 },
  { header: 'SYSTEM', value: ({ system }: StepRun) => system ?? '' },
  { header: 'REPLICA', value: ({ replica }: StepRun) => replica ?? '', isWide: true },
  { header: 'BECAUSE', value: ({ because }: StepRun) => because ?? '', least: 12 },
];
