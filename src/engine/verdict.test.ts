import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hours, minutes, seconds, type Milliseconds } from '#time';
import type { Failure } from './failure.ts';
import type { RegisteredStep } from './operation.ts';
import { done, fail, finish, skip, wait } from './outcome.ts';
import type { RetryPolicy } from './step.ts';
import { judge, type Answer, type TimeLeft, type Verdict } from './verdict.ts';

const step = (retry: RetryPolicy = {}): RegisteredStep => ({
  name: 'Step',
  weight: 10,
  gives: ['runtimeId'],
  retry,
  run: async () => done({}),
});
const threw = (error: unknown): Answer => ({ kind: 'threw', error });
const unlimited: TimeLeft = { step: Infinity, operation: Infinity };

class Unreachable extends Error {
  readonly temporary = true;
  readonly system = 'edp';
  readonly retryAfter: Milliseconds;
  constructor(retryAfter: Milliseconds = 0) {
    super('edp does not answer');
    this.retryAfter = retryAfter;
  }
}

/** What judge gets besides the answer; by default a step without a policy, at its first run, with all the time it wants. */
type Case = { retry?: RetryPolicy; failures?: number; left?: Partial<TimeLeft> };
const verdict = (answer: Answer, { retry, failures = 0, left }: Case = {}) =>
  judge(step(retry), answer, failures, { ...unlimited, ...left });

const waiting = wait(minutes(1), 'Shoot is at 35 %', 'gardener');
const unexplained = { system: null, errorClass: null };
const noAnswer = { because: 'edp does not answer', system: 'edp', errorClass: 'system' };
const noAnswerInTime = (bound: string, reason = 'time_limit'): Failure => ({
  class: 'system',
  message: `Step did not succeed ${bound}: edp does not answer`,
  system: 'edp',
  reason,
  step: 'Step',
});
const noAnswerFailure: Failure = {
  class: 'system',
  message: 'edp does not answer',
  system: 'edp',
  step: 'Step',
};
const onRecord = ({ message }: Failure) => ({ ...noAnswer, because: message });
const quota = Object.assign(new Error('quota exceeded'), { failureClass: 'user' });
const quotaFailure: Failure = { class: 'user', message: 'quota exceeded', step: 'Step' };
const quotaOnRecord = { because: 'quota exceeded', system: null, errorClass: 'user' };

for (const [sentence, answer, given, expected] of [
  [
    'a step that is done goes on with the facts it gave',
    done({ runtimeId: 'r-1' }),
    {},
    {
      record: { outcome: 'done', because: null, ...unexplained },
      next: { kind: 'go on', facts: { runtimeId: 'r-1' } },
    },
  ],
  [
    'a step that finds nothing more to do ends the operation, also if its time is up',
    finish('everything is as it was wanted'),
    { left: { step: 0 } },
    {
      record: { outcome: 'done', because: 'everything is as it was wanted', ...unexplained },
      next: { kind: 'finish', because: 'everything is as it was wanted' },
    },
  ],
  [
    'a step that is done after its time was used up is done',
    done({}),
    { left: { step: -1, operation: -1 } },
    {
      record: { outcome: 'done', because: null, ...unexplained },
      next: { kind: 'go on', facts: {} },
    },
  ],
  [
    'a step that gives a fact which it does not list fails, and none of its facts are kept',
    done({ runtimeId: 'r-1', surprise: 1 }),
    {},
    {
      record: {
        outcome: 'fail',
        because: `Step has given the fact 'surprise', which its 'gives' does not list`,
        system: null,
        errorClass: 'us',
      },
      next: {
        kind: 'fail',
        failure: {
          class: 'us',
          message: `Step has given the fact 'surprise', which its 'gives' does not list`,
          step: 'Step',
        },
      },
    },
  ],
  [
    'a step that is left out goes on without facts, and its reason is on record',
    skip('nothing to clean up'),
    {},
    {
      record: { outcome: 'skip', because: 'nothing to clean up', ...unexplained },
      next: { kind: 'go on', facts: {} },
    },
  ],
  [
    'a step that waits is looked at again when it said, and what it waits for is on record',
    waiting,
    {},
    {
      record: {
        outcome: 'wait',
        because: 'Shoot is at 35 %',
        system: 'gardener',
        errorClass: null,
      },
      next: { kind: 'pause', for: minutes(1) },
    },
  ],
  [
    'a step may wait for no system in particular',
    wait(seconds(1), 'not yet'),
    {},
    {
      record: { outcome: 'wait', because: 'not yet', ...unexplained },
      next: { kind: 'pause', for: seconds(1) },
    },
  ],
  [
    'waiting uses up no attempts',
    wait(seconds(1), 'not yet'),
    { retry: { attempts: 1 }, failures: 5 },
    {
      record: { outcome: 'wait', because: 'not yet', ...unexplained },
      next: { kind: 'pause', for: seconds(1) },
    },
  ],
  [
    'a step that waits when its time is used up fails, and says what it was waiting for',
    wait(minutes(1), 'Shoot is at 35 %'),
    { retry: { within: hours(6) }, left: { step: 0 } },
    {
      record: {
        outcome: 'fail',
        because: 'Step did not succeed within 6 h: Shoot is at 35 %',
        system: null,
        errorClass: 'us',
      },
      next: {
        kind: 'fail',
        failure: {
          class: 'us',
          message: 'Step did not succeed within 6 h: Shoot is at 35 %',
          reason: 'time_limit',
          step: 'Step',
        },
      },
    },
  ],
  [
    'a temporary error is tried again, and what it was is on record',
    threw(new Unreachable()),
    {},
    {
      record: { outcome: 'retry', ...noAnswer },
      next: { kind: 'pause', for: seconds(10), error: noAnswerFailure },
    },
  ],
  [
    'the last attempt but one is followed by another',
    threw(new Unreachable()),
    { retry: { attempts: 3, every: seconds(1) }, failures: 1 },
    {
      record: { outcome: 'retry', ...noAnswer },
      next: { kind: 'pause', for: seconds(2), error: noAnswerFailure },
    },
  ],
  [
    'a temporary error in the last attempt fails the operation, and the system that did not answer is named',
    threw(new Unreachable()),
    { retry: { attempts: 3 }, failures: 2 },
    {
      record: { outcome: 'fail', ...onRecord(noAnswerInTime('in 3 attempts', 'attempt_limit')) },
      next: { kind: 'fail', failure: noAnswerInTime('in 3 attempts', 'attempt_limit') },
    },
  ],
  [
    'a temporary error when the time is used up fails the operation',
    threw(new Unreachable()),
    { retry: { within: minutes(5) }, left: { step: 0 } },
    {
      record: { outcome: 'fail', ...onRecord(noAnswerInTime('within 5 min')) },
      next: { kind: 'fail', failure: noAnswerInTime('within 5 min') },
    },
  ],
  [
    'an error that is not temporary fails the operation at once, whatever the policy has left',
    threw(quota),
    { retry: { attempts: 10, within: hours(1) }, left: { step: hours(1) } },
    {
      record: { outcome: 'fail', ...quotaOnRecord },
      next: { kind: 'fail', failure: quotaFailure },
    },
  ],
  [
    'anything may be thrown',
    threw('out of paper'),
    {},
    {
      record: { outcome: 'fail', because: 'out of paper', system: null, errorClass: 'us' },
      next: { kind: 'fail', failure: { class: 'us', message: 'out of paper', step: 'Step' } },
    },
  ],
  [
    'a step that answers fail fails the operation even if its error is temporary',
    fail(new Unreachable()),
    { retry: { attempts: 10 } },
    {
      record: { outcome: 'fail', ...noAnswer },
      next: {
        kind: 'fail',
        failure: { class: 'system', message: 'edp does not answer', system: 'edp', step: 'Step' },
      },
    },
  ],
  [
    'a best-effort step that fails is left behind on record',
    fail(quota),
    { retry: { otherwise: 'go on' } },
    {
      record: { outcome: 'not completed', ...quotaOnRecord },
      next: { kind: 'go on', facts: {}, notCompleted: quotaFailure },
    },
  ],
  [
    'a best-effort step that throws what is not temporary is left behind on record',
    threw(quota),
    { retry: { otherwise: 'go on' } },
    {
      record: { outcome: 'not completed', ...quotaOnRecord },
      next: { kind: 'go on', facts: {}, notCompleted: quotaFailure },
    },
  ],
  [
    'a best-effort step is tried again before it is left behind',
    threw(new Unreachable()),
    { retry: { otherwise: 'go on', within: minutes(5) }, left: { step: 1_000 } },
    {
      record: { outcome: 'retry', ...noAnswer },
      next: { kind: 'pause', for: 1_000, error: noAnswerFailure },
    },
  ],
  [
    'a best-effort step that used up its time is left behind on record',
    threw(new Unreachable()),
    { retry: { otherwise: 'go on', within: minutes(5) }, left: { step: 0 } },
    {
      record: { outcome: 'not completed', ...onRecord(noAnswerInTime('within 5 min')) },
      next: { kind: 'go on', facts: {}, notCompleted: noAnswerInTime('within 5 min') },
    },
  ],
  [
    'a best-effort step that waits beyond its time is left behind on record',
    wait(minutes(1), 'still there'),
    { retry: { otherwise: 'go on', within: minutes(5) }, left: { step: 0 } },
    {
      record: {
        outcome: 'not completed',
        because: 'Step did not succeed within 5 min: still there',
        system: null,
        errorClass: 'us',
      },
      next: {
        kind: 'go on',
        facts: {},
        notCompleted: {
          class: 'us',
          message: 'Step did not succeed within 5 min: still there',
          reason: 'time_limit',
          step: 'Step',
        },
      },
    },
  ],
  [
    'a best-effort step is not left behind when the time of the operation is used up: the operation fails',
    fail(quota),
    { retry: { otherwise: 'go on' }, left: { operation: 0 } },
    {
      record: { outcome: 'fail', ...quotaOnRecord },
      next: { kind: 'fail', failure: quotaFailure },
    },
  ],
] as const satisfies readonly (readonly [string, Answer, Case, Verdict])[]) {
  test(sentence, () => assert.deepEqual(verdict(answer, given), expected));
}

const pauseAfter = (answer: Answer, given: Case) => {
  const { next } = verdict(answer, given);
  return next.kind === 'pause' ? next.for : next.kind;
};

for (const [sentence, policy, pauses] of [
  ['by default 10 s, doubled up to 5 min', {}, [10, 20, 40, 80, 160, 300, 300]],
  [
    'as the policy says, doubled up to its longest',
    { every: seconds(1), upTo: seconds(6) },
    [1, 2, 4, 6, 6, 6, 6],
  ],
  [
    'as the policy says, where it is longer than the longest',
    { every: seconds(40), upTo: seconds(30) },
    [40, 40, 40, 40, 40, 40, 40],
  ],
] as const) {
  test(`the pauses between tries are ${sentence}`, () => {
    assert.deepEqual(
      pauses.map((_, failures) =>
        pauseAfter(threw(new Unreachable()), { retry: policy, failures }),
      ),
      pauses.map(seconds),
    );
  });
}

test('a thousand errors in a row make the pause no longer than the longest', () => {
  assert.equal(pauseAfter(threw(new Unreachable()), { failures: 5_000 }), minutes(5));
});

for (const [sentence, asked, given, pause] of [
  ['is left alone for so long', minutes(20), {}, minutes(20)],
  ['is not asked again before the policy allows', seconds(3), {}, seconds(10)],
  ['is asked once more when the time is used up', hours(1), { left: { step: 500 } }, 500],
] as const satisfies readonly (readonly [string, Milliseconds, Case, Milliseconds])[]) {
  test(`a system that asked to be left alone ${sentence}`, () => {
    assert.equal(pauseAfter(threw(new Unreachable(asked)), given), pause);
  });
}

for (const [limit, left, pause] of [
  ['the time of the step', { step: 700 }, 700],
  ['the time of the operation', { operation: 300 }, 300],
  ['the nearer of both limits', { step: 700, operation: 300 }, 300],
  ['an operation that is overdue', { operation: -5 }, 0],
] as const satisfies readonly (readonly [string, Partial<TimeLeft>, Milliseconds])[]) {
  test(`no pause goes beyond ${limit}: there is a last look when it is reached`, () => {
    const retry = { within: hours(6) };
    assert.equal(pauseAfter(waiting, { retry, left }), pause);
    assert.equal(pauseAfter(threw(new Unreachable()), { retry, left }), pause);
  });
}

test('a step that used up its attempts says so, also when there was time left', () => {
  const retry = { attempts: 3, within: hours(6) };
  assert.equal(
    verdict(threw(new Unreachable()), { retry, failures: 2, left: { step: hours(5) } }).record
      .because,
    'Step did not succeed in 3 attempts: edp does not answer',
  );
});

test('a step that used up its time while it waited for a system names that system', () => {
  const { next } = verdict(waiting, { retry: { within: hours(6) }, left: { step: 0 } });
  assert.deepEqual(next.kind === 'fail' && [next.failure.class, next.failure.system], [
    'system',
    'gardener',
  ]);
});
