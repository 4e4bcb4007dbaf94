import assert from 'node:assert/strict';
import { test } from 'node:test';
import { directorClient, type DirectorClient } from '#clients';
import { done, operation, wait, type Step, type StepContext } from '#engine';
import { seconds } from '#time';
import { testWorld } from '../../src/engine/testing.ts';
import { director as simulatedDirector } from '../../src/landscape/director/testing.ts';
import { startLandscape } from '../../src/landscape/testing.ts';
import { modes, type Mode } from './disturbance.ts';
import { checkEnd } from './harness.ts';
import { play, type Operations, type Played, type Scenario, type Trouble } from './play.ts';
import { checkTogether } from './rounds.ts';

const tenant = 'tenant-1';
const { signal } = new AbortController();

type Register = (director: DirectorClient, context: StepContext<object>) => Promise<unknown>;

/** An operation whose steps register a runtime, and wait a while. */
const scenarioWith = (register: Register): Scenario<Awaited<ReturnType<typeof openWorld>>> => ({
  name: 'registration',
  operation: 'registration',
  open: (disturb) => openWorld(disturb, register),
  begin: async ({ engine }) => (await engine.start('registration', 'subject', {})).id,
  look: async () => ({}),
  remove: async ({ director }) => {
    const label = { key: 'owner', value: 'subject' };
    for (const id of await director.findRuntimes(tenant, label, signal))
      await director.unregisterRuntime(tenant, id, signal);
  },
});

async function openWorld(disturb: (operations: Operations) => Operations, register: Register) {
  await using resources = new AsyncDisposableStack();
  const landscape = resources.use(await startLandscape({ systems: [simulatedDirector] }));
  const director = directorClient({
    caller: 'planted',
    url: `${landscape.url}/director/graphql`,
    tokenUrl: `${landscape.url}/director/oauth2/token`,
    clientId: 'id',
    clientSecret: 'any',
  });
  const registration: Step = {
    name: 'Register',
    run: async (context) => {
      await register(director, context);
      return done();
    },
  };
  const pause: Step = {
    name: 'Pause',
    run: async ({ attempt }) => (attempt === 1 ? wait(seconds(5), 'not yet') : done()),
  };
  const planted = operation('registration').stage('register', registration).stage('pause', pause);
  const world = resources.use(await testWorld(disturb([planted])));
  world.run();
  const advance = (by: number) => {
    landscape.time.advance(by);
    world.clock.advance(by);
  };
  const moved = resources.move();
  let seen = 0;
  return {
    ...world,
    engine: world.engine,
    landscape,
    director,
    advance,
    pass: (id: string) =>
      world.until(async () => {
        for (; seen < world.events.length; seen += 1) {
          const event = world.events[seen];
          if (event?.kind === 'waiting') advance(event.for);
        }
        const found = await world.engine.get(id);
        return found?.ended_at ? found : undefined;
      }),
    [Symbol.asyncDispose]: () => moved.disposeAsync(),
  };
}

const anew: Register = (director, { operation: { subject } }) =>
  director.registerRuntime(tenant, { name: 'demo', labels: { owner: subject } }, signal);

const ifMissing: Register = async (director, context) => {
  const label = { key: 'owner', value: context.operation.subject };
  const found = await director.findRuntimes(tenant, label, signal);
  return found.length > 0 ? undefined : anew(director, context);
};

const atFirstAttempt: Register = async (director, context) =>
  context.attempt === 1 ? ifMissing(director, context) : undefined;

const withoutTheLabel: Register = (director) =>
  director.registerRuntime(tenant, { name: 'demo', labels: {} }, signal);

const disturbedBy = (...all: readonly Mode[]): Trouble => ({
  disturbance: {
    operation: 'registration',
    steps: all.map((mode) => ({ step: 'Register', mode })),
  },
});
const broken = (field: string, kind: 'reset' | 'lost answer'): Trouble => ({
  faults: [{ system: 'director', field, nth: 1, action: { kind } }],
});

const undisturbed = new Map<Register, Promise<Played>>();

const isSafe = async (register: Register, trouble: Trouble): Promise<boolean> => {
  const scenario = scenarioWith(register);
  const expected = await undisturbed.getOrInsertComputed(register, () => play(scenario));
  const played = await play(scenario, trouble);
  assert.deepEqual(played.unused, []);
  try {
    checkEnd(played, expected);
    return true;
  } catch (error) {
    if (error instanceof assert.AssertionError) return false;
    throw error;
  }
};

for (const mode of ['twice', 'crash before', 'crash after', 'error after'] as const) {
  test(`a step that looks before it creates is found to be safe: ${mode}`, async () => {
    assert.equal(await isSafe(ifMissing, disturbedBy(mode)), true);
  });
}

for (const mode of modes) {
  const safe = mode === 'crash before';
  test(`a step that creates without looking is found to be ${safe ? 'safe' : 'unsafe'}: ${mode}`, async () => {
    assert.equal(await isSafe(anew, disturbedBy(mode)), safe);
  });
}

test('of all that befalls a step in one run, each is felt', async () => {
  const interruptions = modes.filter((mode) => mode !== 'twice');
  assert.equal(await isSafe(anew, disturbedBy(...interruptions)), false);
  let runs = 0;
  const counted: Register = async () => (runs += 1);
  await play(scenarioWith(counted), disturbedBy(...modes));
  // The one that is taken over, the one that takes over, one whose answer is lost, one that nobody believes, and the last.
  assert.ok(runs >= 2 * 4, `${runs} runs`);
});

test('a call that breaks is survived by a step that looks before it creates', async () => {
  assert.equal(await isSafe(ifMissing, broken('registerRuntime', 'reset')), true);
  assert.equal(await isSafe(ifMissing, broken('registerRuntime', 'lost answer')), true);
});

test('a step that creates without looking is caught by an answer that is lost', async () => {
  assert.equal(await isSafe(anew, broken('registerRuntime', 'lost answer')), false);
});

test('a step that works at its first attempt only is caught by a call that breaks', async () => {
  assert.equal(await isSafe(atFirstAttempt, broken('registerRuntime', 'reset')), false);
});

test('what the removal does not find is seen to be left behind', async () => {
  const played = await play(scenarioWith(withoutTheLabel));
  assert.throws(() => checkEnd(played, played), /something was left behind/);
});

test('of cases that were played together and went wrong, the guilty are named', async () => {
  const expected = await play(scenarioWith(anew));
  const cases = [
    { name: 'twice', trouble: disturbedBy('twice') },
    {
      name: 'once',
      trouble: { disturbance: { operation: 'registration', steps: [] } },
    },
  ] as const;
  await assert.rejects(
    checkTogether(cases, async (trouble) => {
      const played = await play(scenarioWith(anew), trouble);
      checkEnd(played, expected);
      return played;
    }),
    { message: 'not safe: twice' },
  );
});

test('a call that is never made is told, not passed over', async () => {
  const cases = [{ name: 'never', trouble: broken('nothingOfThatName', 'reset') }];
  await assert.rejects(
    checkTogether(cases, (trouble) => play(scenarioWith(ifMissing), trouble)),
    /the call that was to be broken was not made/,
  );
});
