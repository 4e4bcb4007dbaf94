import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { StepRun } from '../api-types.ts';
import { flattened, groupRuns, piecesOf } from './rows.ts';

const at = (second: number) => new Date(second * 1_000).toISOString();
const run = (number: number, step: string, outcome: string, from: number, to: number): StepRun => ({
  number,
  stage: 'start',
  step,
  outcome,
  attempt: 1,
  runs: 1,
  replica: 'one',
  startedAt: at(from),
  endedAt: at(to),
  durationMs: (to - from) * 1_000,
});
const stages = [
  {
    name: 'start',
    state: 'current' as const,
    steps: [{ name: 'A' }, { name: 'B' }, { name: 'C' }],
  },
  { name: 'end', state: 'ahead' as const, steps: [{ name: 'D' }] },
];
const runs = [
  run(1, 'A', 'done', 0, 1),
  run(2, 'B', 'wait', 1, 2),
  run(3, 'A', 'done', 10, 11),
  run(4, 'B', 'wait', 11, 12),
];

test('the runs of a step are one line, and what has not run yet follows', () => {
  const rows = flattened(groupRuns(stages, runs), () => false);
  assert.deepEqual(
    rows.map((row) =>
      `${row.kind} ${row.key} ${row.kind === 'step' ? row.runs.length : ''}`.trim(),
    ),
    [
      'stage start',
      'step start/A 2',
      'step start/B 2',
      'step start/C 0',
      'stage end',
      'step end/D 0',
    ],
  );
});

test('a step that is opened shows each of its runs', () => {
  const rows = flattened(groupRuns(stages, runs), (key) => key === 'start/B');
  assert.deepEqual(
    rows.flatMap((row) => (row.kind === 'run' ? [row.run.number] : [])),
    [2, 4],
  );
});

test('a stage that nobody knows any more is still shown', () => {
  const groups = groupRuns([], runs);
  assert.deepEqual(
    groups.map(({ name, steps }) => [name, steps.length]),
    [['start', 2]],
  );
});

test('after a wait the bar goes on, thinner, to the next run or until now', () => {
  const own = runs.filter(({ step }) => step === 'B');
  assert.deepEqual(
    piecesOf(own, 20_000, 1).map(({ from, to, isPause }) => [from, to, isPause === true]),
    [
      [1_000, 2_000, false],
      [2_000, 11_000, true],
      [11_000, 12_000, false],
      [12_000, 20_000, true],
    ],
  );
});

test('ten thousand runs of one step have no more pieces than there are places on the screen', () => {
  const many = Array.from({ length: 10_000 }, (_, index) =>
    run(index, 'A', 'done', index, index + 1),
  );
  const alternating = many.map((each, index) => (index % 2 ? { ...each, outcome: 'retry' } : each));
  const places = 500;
  assert.equal(piecesOf(many, undefined, 10_000_000 / places).length, 1);
  assert.ok(piecesOf(alternating, undefined, 10_000_000 / places).length <= places);
});
