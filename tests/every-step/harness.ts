// Proves that operations are safe to interrupt: whichever step runs twice, wherever the process dies, whatever call breaks, the
// operation ends as if nothing had happened, and its removal leaves nothing behind. Steps and calls are found in
// the definitions and in an undisturbed run, so that a new step is covered on the day it is written.
import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { callFaults, sample, type CallFault } from './call-faults.ts';
import { modes, type Mode } from './disturbance.ts';
import {
  play,
  type Exemption,
  type Played,
  type Scenario,
  type Trouble,
  type World,
} from './play.ts';
import { checkTogether, joined, type Case } from './rounds.ts';

export type HarnessOptions = {
  /** How the service calls itself in the landscape: others ask there, too. */
  readonly callers: readonly string[];
  /** Those whose calls are the operation's own; without it, all. */
  readonly systems?: readonly string[];
  /** So many broken calls in each scenario; with EVERY_CALL=all it is all of them. */
  readonly brokenCalls: number;
  /** Those whose steps must all be done here, if others have scenarios elsewhere. */
  readonly operations?: readonly string[];
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
      const { exemptions = [], drawn } = scenario;
      const isMeant = ({ system }: Played['requests'][number]) =>
        options.systems?.includes(system) ?? true;
      const all = [
        ...disturbedSteps(expected),
        ...brokenCalls(callFaults(expected.requests.filter(isMeant), options.callers, drawn)),
      ];
      const strict = all.filter((each) => !exemptions.some((exemption) => covers(exemption, each)));
      await Promise.all([
        ...inRounds(t, strict, options).map(([name, cases]) =>
          t.test(name, () => checkTogether(cases, check)),
        ),
        ...exemptions.map((exemption) =>
          t.test(`exempt, because ${exemption.because}`, async () => {
            const cases = all.filter((each) => covers(exemption, each));
            assert.notEqual(cases.length, 0, 'nothing is exempt');
            const played = await play(scenario, joined(cases));
            assert.deepEqual(played.unused, []);
            exemption.check(played, expected, cases.length);
          }),
        ),
      ]);
    });
  }

  void test('each step of each operation is done in one of these scenarios', () => {
    const done = new Set(undisturbed.flatMap((run) => stepsDone(run).map(nameIn(run.ended))));
    const { operations } = options;
    const all = (undisturbed[0]?.definitions ?? [])
      .filter(({ type }) => operations?.includes(type) ?? true)
      .flatMap((definition) =>
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
function disturbedSteps(undisturbed: Played): Case[] {
  const { type: operation } = undisturbed.ended;
  const steps = stepsDone(undisturbed);
  return modes.flatMap((mode) =>
    steps.map((step) => ({
      name: `${step}: ${mode}`,
      trouble: { disturbance: { operation, steps: [{ step, mode }] } },
    })),
  );
}

const brokenCalls = (calls: readonly CallFault[]): Case[] =>
  calls.map(({ name, fault }) => ({ name, trouble: { faults: [fault] } }));

/** What is played together. */
function inRounds(
  t: TestContext,
  all: readonly Case[],
  { brokenCalls: wanted }: HarnessOptions,
): Round[] {
  if (isThorough) return all.map((each) => [each.name, [each]]);
  const ofEveryStep = (name: string, isMeant: (mode: Mode) => boolean): Round => [
    `every step: ${name}`,
    all.filter(({ trouble }) => trouble.disturbance?.steps.every(({ mode }) => isMeant(mode))),
  ];
  const disturbances = [
    ofEveryStep('twice', (mode) => mode === 'twice'),
    ofEveryStep('interrupted in every way', (mode) => mode !== 'twice'),
  ];
  const calls = all.filter(({ trouble }) => trouble.faults !== undefined);
  const cases = sample(calls, wanted);
  t.diagnostic(`${cases.length} of ${calls.length} broken calls; all with EVERY_CALL=all`);
  const runs = Math.ceil(cases.length / callsInOneRun);
  const broken = Array.from({ length: runs }, (_, index) => [
    `broken calls, ${index + 1} of ${runs}`,
    cases.slice(index * callsInOneRun, (index + 1) * callsInOneRun),
  ]) satisfies Round[];
  return [...disturbances, ...broken];
}

const covers = (exemption: Exemption, { name, trouble }: Case): boolean =>
  'steps' in exemption
    ? exemption.steps.some((step) => name === `${step}: ${exemption.mode}`)
    : exemption.lostAnswersOf.test(name) && trouble.faults?.[0]?.action.kind === 'lost answer';

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
