import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';
import { hours, minutes, MovableClock, seconds } from '#time';
import { isTemporary, RunTookTooLong } from './failure.ts';
import { registered, type AnyStep } from './operation.ts';
import { done, fail, skip, wait } from './outcome.ts';
import { StageMemory } from './stage-memory.ts';
import { attempt, Interruption } from './step-attempt.ts';
import { condition, when, type Step } from './step.ts';
import { silent } from './testing.ts';

const limit = minutes(5);
const context = {
  operation: { id: 'o-1', type: 'sample', subject: 's1' },
  facts: { plan: 'aws' },
  memory: new StageMemory(),
  attempt: 1,
  timeIsUp: false,
  notCompleted: [],
  log: silent,
};

// A test that fails leaves no timer behind that would keep the process.
const clocks: MovableClock[] = [];
afterEach(() => {
  for (const clock of clocks.splice(0)) clock.advance(hours(1));
});

/** One attempt under way; `entered` resolves once the step runs. */
function begin(given: AnyStep, abort = new AbortController()) {
  const clock = new MovableClock();
  clocks.push(clock);
  const entered = Promise.withResolvers<void>();
  const watched = registered(
    {
      ...given,
      run: (context) => {
        entered.resolve();
        return given.run(context);
      },
    },
    10,
  );
  const answer = attempt(watched, { ...context, signal: abort.signal }, limit, abort, clock);
  return { answer, clock, abort, entered: entered.promise };
}
const step = (run: Step['run'], more: Partial<Step> = {}): Step => ({ name: 'Step', run, ...more });
const never = step(() => new Promise(() => {}));

/** Everything that had fallen due on this clock has happened. */
const allTimers = (clock: MovableClock) =>
  new Promise<void>((resolve) => void clock.after(0, resolve));

const tookTooLong = (answer: unknown) => {
  assert.ok(typeof answer === 'object' && answer && 'error' in answer);
  assert.ok(answer.error instanceof RunTookTooLong);
  assert.equal(answer.error.message, 'Step has been running for 5 min');
  assert.equal(isTemporary(answer.error), true);
};

for (const outcome of [
  done({ runtimeId: 'r-1' }),
  wait(seconds(1), 'not yet', 'edp'),
  skip('nothing to do'),
  fail(new Error('quota exceeded')),
]) {
  test(`what a step answers is taken as it is: ${outcome.kind}`, async () => {
    assert.equal(await begin(step(async () => outcome as never)).answer, outcome);
  });
}

test('a step sees its context, and a signal that is not aborted', async () => {
  const seen: unknown[] = [];
  await begin(
    step(async ({ signal, ...rest }) => {
      seen.push(rest, signal.aborted);
      return done();
    }),
  ).answer;
  assert.deepEqual(seen, [context, false]);
});

test('a step that runs into its limit is told by its signal, and is worth another try', async () => {
  const told: unknown[] = [];
  const { answer, clock, entered } = begin(
    step(
      ({ signal }) =>
        new Promise((_, reject) => {
          signal.addEventListener('abort', () => {
            told.push(signal.reason);
            reject(new Error('the request was aborted'));
          });
        }),
    ),
  );
  await entered;
  clock.advance(limit);
  tookTooLong(await answer);
  assert.ok(told[0] instanceof RunTookTooLong);
});

test('a step may use all of its limit', async () => {
  const finish = Promise.withResolvers<void>();
  const { answer, clock, abort } = begin(
    step(async () => {
      await finish.promise;
      return done();
    }),
  );
  clock.advance(limit - seconds(10));
  await allTimers(clock);
  assert.equal(abort.signal.aborted, false);
  finish.resolve();
  assert.deepEqual(await answer, done());
});

test('a step that ignores its signal is left behind at its limit', async () => {
  const { answer, clock, entered } = begin(never);
  await entered;
  clock.advance(limit);
  tookTooLong(await answer);
});

for (const [late, finish] of [
  ['answers', (settle: PromiseWithResolvers<never>) => settle.resolve(done() as never)],
  ['throws', (settle: PromiseWithResolvers<never>) => settle.reject(new Error('too late'))],
] as const) {
  test(`a step that ${late} after its limit changes nothing and harms nobody`, async () => {
    const settle = Promise.withResolvers<never>();
    const { answer, clock, entered } = begin(step(() => settle.promise));
    await entered;
    clock.advance(limit);
    tookTooLong(await answer);
    finish(settle);
    await allTimers(clock); // An unhandled rejection would have failed the test by now.
  });
}

test('the limit ends with the attempt: what a step left running is not told to stop', async () => {
  const { answer, clock, abort } = begin(step(async () => done()));
  await answer;
  clock.advance(hours(1));
  await allTimers(clock);
  assert.equal(abort.signal.aborted, false);
});

for (const [how, run] of [
  [
    'throws before it has returned a promise',
    () => {
      throw new TypeError('cannot read the region of the plan');
    },
  ],
  ['rejects', () => Promise.reject(new TypeError('cannot read the region of the plan'))],
] as const) {
  test(`a step that ${how} has thrown that error`, async () => {
    assert.deepEqual(await begin(step(run)).answer, {
      kind: 'threw',
      error: new TypeError('cannot read the region of the plan'),
    });
  });
}

for (const [what, returned] of [
  ['nothing', undefined],
  ['null', null],
  ['a text', 'done'],
  ['an object without a kind', { facts: {} }],
  ['an outcome that does not exist', { kind: 'finished' }],
  ['what only the engine may say', { kind: 'threw', error: new Error('pretended') }],
] as const) {
  test(`a step that returns ${what} has returned no outcome`, async () => {
    assert.deepEqual(await begin(step(async () => returned as never)).answer, {
      kind: 'threw',
      error: new Error('Step has returned no outcome'),
    });
  });
}

for (const why of ['canceled', 'handed back', 'lease lost'] as const) {
  test(`an attempt that is ${why} ends as such, whatever the step makes of it`, async () => {
    const interruption = new Interruption(why);
    const obedient = step(({ signal }) => {
      const { promise, reject } = Promise.withResolvers<never>();
      signal.addEventListener('abort', () => reject(new Error('the request was aborted')));
      return promise;
    });
    for (const { answer, abort, entered } of [begin(obedient), begin(never)]) {
      await entered;
      abort.abort(interruption);
      assert.equal(await answer, interruption);
    }
  });
}

test('an attempt that is interrupted in the moment in which its step throws has been interrupted', async () => {
  const abort = new AbortController();
  const interruption = new Interruption('canceled');
  const giveUp = step(async () => {
    abort.abort(interruption);
    throw new Error('no longer needed');
  });
  assert.equal(await begin(giveUp, abort).answer, interruption);
});

const isTrial = condition<{ plan: string }>('the plan is trial', ({ plan }) => plan === 'trial');
const isAws = condition<{ plan: string }>('the plan is aws', ({ plan }) => plan === 'aws');
const mustNotRun = step(async () => assert.fail('must not run'));

test('a step is left out when its condition does not hold, and the record names the condition', async () => {
  assert.deepEqual(
    await begin(when(isTrial, mustNotRun)).answer,
    skip('not applicable: the plan is trial'),
  );
});

test('a step runs when its condition holds', async () => {
  assert.deepEqual(
    await begin(
      when(
        isAws,
        step(async () => done()),
      ),
    ).answer,
    done(),
  );
});

test('a condition that throws counts as thrown by its step, which does not run', async () => {
  const broken = condition('the plan is known', () => {
    throw new TypeError('cannot read the plan');
  });
  assert.deepEqual(await begin(when(broken, mustNotRun)).answer, {
    kind: 'threw',
    error: new TypeError('cannot read the plan'),
  });
});

test('an attempt that ended without a run leaves nothing behind that could abort', async () => {
  const { answer, clock, abort } = begin(when(isTrial, mustNotRun));
  await answer;
  clock.advance(hours(1));
  await allTimers(clock);
  assert.equal(abort.signal.aborted, false);
});

test('a step with two conditions runs only if both hold', async () => {
  assert.deepEqual(
    await begin(when(isAws, when(isTrial, mustNotRun))).answer,
    skip('not applicable: the plan is trial'),
  );
});
