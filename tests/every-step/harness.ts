// Proves that operations are safe to interrupt: whichever step runs twice, wherever the process dies, whatever call breaks, the
// operation ends as if nothing had happened, and its removal leaves nothing behind. Steps and calls are found in
// the definitions and in an undisturbed run, so that a new step is covered on the day it is written.
import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { callFaults, sample } from './call-faults.ts';
import { modes } from './disturbance.ts';
import { play, type Played, type Scenario, type Trouble, type World } from './play.ts';
import { checkTogether, type Case } from './rounds.ts';

export type HarnessOptions = {
  /** How the service calls itself in the landscape: others ask there, too. */
  readonly callers: readonly string[];
  /** So many broken calls in each scenario; with EVERY_CALL=all it is all of them. */
  readonly brokenCalls: number;
};

/** Worlds at a time: one calculates while another waits for its database. */
const concurrency = 4;
/** Broken calls in one run: more of them could use up the time of a step that makes them all. */
const callsInOneRun = 6;
const isThorough = process.env['EVERY_CALL'] === 'all';

export function checkEveryStep<ItsWorld extends World>(
  scenarios: readonly Scenario<ItsWorld>[],
  options: HarnessOptions,
): void {
  const undisturbed: Played[] = [];

  for (const scenario of scenarios) {
    void test(scenario.name, { concurrency }, async (t) => {
      const expected = await play(scenario);
      assert.equal(expected.ended.type, scenario.operation);
      assert.equal(expected.ended.state, 'succeeded', JSON.stringify(expected.ended.error));
      assert.deepEqual(expected.ended.not_completed, []);
      checkEnd(expected, expected);
      undisturbed.push(expected);
      const check = async (trouble: Trouble) => {
        const played = await play(scenario, trouble);
        checkEnd(played, expected);
        return played;
      };
      await Promise.all(
        [...disturbedSteps(expected), ...brokenCalls(t, expected, options)].map(([name, cases]) =>
          t.test(name, () => checkTogether(cases, check)),
        ),
      );
    });
  }

  void test('each step of each operation is done in one of these scenarios', () => {
    const done = new Set(undisturbed.flatMap((run) => stepsDone(run).map(nameIn(run.ended))));
    const all = (undisturbed[0]?.definitions ?? []).flatMap((definition) =>
      definition.stages.flatMap(({ steps }) => steps.map(({ name }) => nameIn(definition)(name))),
    );
    assert.notDeepEqual(all, []);
    assert.deepEqual(
      all.filter((step) => !done.has(step)),
      [],
    );
  });
}

type Round = readonly [name: string, cases: readonly Case[]];

/** Steps that were left out have nothing to disturb: another scenario has to reach them. */
function disturbedSteps(undisturbed: Played): Round[] {
  const { type: operation } = undisturbed.ended;
  const steps = stepsDone(undisturbed);
  return modes.flatMap((mode) => {
    const cases = steps.map((step) => ({
      name: `${step}: ${mode}`,
      trouble: { disturbance: { operation, steps: [step], mode } },
    }));
    return isThorough ? apart(cases) : [[`every step: ${mode}`, cases] as const];
  });
}

function brokenCalls(
  t: TestContext,
  { requests }: Played,
  { callers, brokenCalls: wanted }: HarnessOptions,
): Round[] {
  const all = callFaults(requests, callers).map(({ name, fault }) => ({
    name,
    trouble: { faults: [fault] },
  }));
  if (isThorough) return apart(all);
  const cases = sample(all, wanted);
  t.diagnostic(`${cases.length} of ${all.length} broken calls; all with EVERY_CALL=all`);
  const runs = Math.ceil(cases.length / callsInOneRun);
  return Array.from({ length: runs }, (_, index) => [
    `broken calls, ${index + 1} of ${runs}`,
    cases.slice(index * callsInOneRun, (index + 1) * callsInOneRun),
  ]);
}

const apart = (cases: readonly Case[]): Round[] => cases.map((each) => [each.name, [each]]);

const stepsDone = ({ timeline }: Played): string[] => [
  ...new Set(timeline.filter(({ outcome }) => outcome === 'done').map(({ step }) => step)),
];

const nameIn =
  ({ type }: { readonly type: string }) =>
  (step: string) =>
    `${type}: ${step}`;

/** It ends as the undisturbed one did, and everything could be removed. */
export function checkEnd(played: Played, expected: Played): void {
  assert.deepEqual(played.end, expected.end);
  assert.deepEqual(played.left, played.untouched, 'something was left behind');
}
