// For authors of steps: proves that a step which an extension adds may be repeated, survives a crash, and waits while the
// service that it calls is down. Needs PostgreSQL and that service, or something that behaves like it; nothing else of ours.
import assert from 'node:assert/strict';
import {
  Definitions,
  done,
  operation as operationOf,
  type Addition,
  type Step,
  type StepContext,
} from '#engine';
import { testDatabase } from '../../database/testing.ts';
import { testKeyring, testWorld } from '../../engine/testing.ts';
import { overridesKey, type OverrideEntry } from '../overrides.ts';
import { InstancesTable, type NewInstance } from '../tables/instances-table.ts';
import { extensionKit } from './extension-kit.ts';
import type { Extension, ExtensionKit } from './extension.ts';

export type StepCheck = {
  readonly extension: Extension;
  readonly operation: string;
  /** Its name. */
  readonly step: string;
  readonly environment?: ExtensionKit['environment'];
  /** What earlier steps, or the request, would have given. */
  readonly facts?: Readonly<Record<string, unknown>>;
  /** Components whose overrides are looked at. */
  readonly components?: readonly string[];
  readonly outside: OutsideService;
};

/** The service that the step calls, in the hands of a test. */
export type OutsideService = {
  /** As it is before the operation. */
  readonly reset: () => unknown;
  /** All that exists there. */
  readonly look: () => unknown;
  /** From now on it answers, or not. */
  readonly setDown: (isDown: boolean) => unknown;
};

/** What came of one run. The same whatever went wrong on the way. */
export type StepEnd = {
  readonly state: string;
  readonly facts: Readonly<Record<string, unknown>>;
  readonly overrides: Readonly<Record<string, readonly OverrideEntry[]>>;
  readonly outside: unknown;
};

type Run = Step['run'];

/** Each run of the step is two, or its work is done and the process dies before anybody knows, or before it begins. */
const troubles: Readonly<Record<string, (run: Run) => Run>> = {
  'runs twice': (run) => async (context) => {
    await run(context);
    return run(context);
  },
  'dies before its work': (run) => once(run, () => Promise.reject(new Died())),
  'dies after its work': (run) =>
    once(run, async (context) => {
      await run(context);
      throw new Died();
    }),
};

/** Runs the step undisturbed, and with all that may befall it. Fails if one run ends otherwise than the first. */
export async function checkStep(check: StepCheck): Promise<StepEnd> {
  const expected = await played(check, (run) => run);
  assert.equal(expected.state, 'succeeded', `${check.step} does not succeed by itself`);
  for (const [what, disturb] of Object.entries(troubles))
    assert.deepEqual(await played(check, disturb), expected, `${check.step} ${what}`);
  const afterOutage = await played(check, (run) => run, { isDownAtFirst: true });
  assert.deepEqual(afterOutage, expected, `${check.step} finds its service down for a while`);
  return expected;
}

async function played(
  { extension, operation, step, environment = {}, facts = {}, components = [], outside }: StepCheck,
  disturb: (run: Run) => Run,
  { isDownAtFirst = false } = {},
): Promise<StepEnd> {
  await using database = await testDatabase({ migrations: ['engine', 'audit', 'broker'] });
  const instances = new InstancesTable(testKeyring);
  await instances.insert(database.pool, sampleInstance);
  const additions: (Addition & { readonly operation: string })[] = [];
  const add: ExtensionKit['extend'] = (to, addition) =>
    additions.push({ ...addition, operation: to });
  await extension(extensionKit({ instances, database }, add, environment));
  const added = additions.find((each) => each.operation === operation && each.step.name === step);
  if (!added) assert.fail(`the extension adds no step ${step} to ${operation}`);

  let overrides: StepEnd['overrides'] = {};
  const look: Step = {
    name: 'Look',
    async run({ memory }) {
      const left = memory.has(overridesKey) ? memory.get(overridesKey) : undefined;
      overrides = Object.fromEntries(components.map((name) => [name, left?.of(name) ?? []]));
      return done();
    },
  };
  const definitions = new Definitions([
    operationOf(operation, { input: Object.keys(facts) as never[] }).stage(added.stage, look), // facts of an extension have no types here
  ]);
  const run = disturb(added.step.run as Run);
  const tried = { ...added.step, run } as Addition['step'];
  definitions.extend(operation, { stage: added.stage, before: 'Look', step: tried });

  await outside.reset();
  await using world = await testWorld(definitions, {}, { database });
  await outside.setDown(isDownAtFirst);
  world.run();
  const { id } = await world.engine.start(operation, sampleInstance.id, facts);
  if (isDownAtFirst) {
    const waiting = await world.waiting(id);
    assert.equal(waiting.state, 'in progress', `${step} gives up while its service is down`);
    await outside.setDown(false);
  }
  world.engine.listen((event) => {
    if (event.kind === 'waiting') world.clock.advance(event.for);
  });
  const paused = await world.engine.get(id);
  if (paused?.due_at) world.clock.advance(Math.max(0, paused.due_at.getTime() - Date.now()));
  const ended = await world.ended(id);
  const { state, facts: stored } = ended;
  return { state, facts: stored, overrides, outside: await outside.look() };
}

/** As when the process dies: nothing of this run is stored, and the stage starts over. */
class Died extends Error {
  readonly temporary = true;
}

/** The first time otherwise. */
function once(run: Run, first: (context: StepContext<object>) => Promise<never>): Run {
  let isFirst = true;
  return (context) => {
    const turn = isFirst ? first : run;
    isFirst = false;
    return turn(context);
  };
}

const sampleInstance: NewInstance = {
  id: 'sample-instance',
  serviceId: 'service',
  planId: 'plan',
  planName: 'azure',
  globalAccount: 'ga-1',
  subaccount: 'sa-1',
  platform: { region: 'cf-eu20', provider: 'Azure' },
  provider: 'azure',
  region: 'westeurope',
  context: { globalaccount_id: 'ga-1', subaccount_id: 'sa-1', user_id: 'somebody@example.com' },
  parameters: { name: 'demo' },
  shootName: 'c-1a2b3c4',
  shootDomain: 'c-1a2b3c4.kyma.example.com',
  dashboardUrl: 'https://dashboard.example.com',
};
