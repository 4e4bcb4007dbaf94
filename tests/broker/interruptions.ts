import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { TestContext } from 'node:test';
import type { OperationDefinition, StoredOperation } from '#engine';
import {
  afterEachStep,
  ownCluster,
  provisioned,
  whatExists,
  type World,
} from '../../src/broker/operations/testing.ts';
import { eachStageTwice } from '../../src/broker/steps/testing.ts';
import { startBroker } from '../../src/broker/testing.ts';
import { testDatabase } from '../../src/database/testing.ts';
import { startLandscape } from '../../src/landscape/testing.ts';

type Begin = (world: World, instanceId: string, step: string) => Promise<string>;
type Order = NonNullable<Parameters<typeof provisioned>[2]>;

/**
 * For each step of the operation a runtime of its own, whose deletion comes when the step has done its work: the operation
 * ends and says why, and nothing is left of the runtime.
 */
export async function deleteComesUponEachStep(
  t: TestContext,
  type: string,
  begin: Begin,
  /** Which order the step needs, if not that of a trial, which never wants for an account. */
  orderFor: (step: string, own: object) => (Order & { readonly plan?: string }) | undefined,
  /** Systems that the operation has nothing to do with. */
  off: NonNullable<Parameters<typeof startBroker>[0]>['off'] = [],
): Promise<void> {
  const target = { step: '', world: undefined as World | undefined };
  await using world = await startBroker({
    off: ['edp', 'ias', ...off],
    disturb: afterEachStep(type, async (step, { operation, signal }) => {
      if (step !== target.step) return;
      await target.world?.remove(operation.subject);
      if (!signal.aborted) await once(signal, 'abort');
    }),
  });
  target.world = world;
  const own = await ownCluster(world);
  const before = inventory(world);
  const steps = world.engine.definitions.get(type).stages.flatMap((stage) => stage.steps);
  for (const { name } of steps) {
    await t.test(name, async () => {
      const { plan = 'trial', ...order } = orderFor(name, own) ?? {};
      const instanceId = await provisioned(world, plan, order);
      target.step = name;
      const id = await begin(world, instanceId, name);
      const { state, description } = await world.pass(id);
      assert.deepEqual(
        [state, description],
        ['canceled', 'canceled: the instance is being deleted'],
      );
      const { step, outcome } = (await world.engine.timeline(id)).at(-1) ?? assert.fail();
      assert.deepEqual([step, outcome], [name, 'canceled']);
      const operations = await world.engine.ofSubject(instanceId);
      const removal = operations.find((each) => each.type === 'deprovision');
      assert.equal((await world.pass(removal?.id ?? '')).description, 'succeeded');
      assert.ok(operations.every(({ state: each }) => each !== 'pending'));
      assert.deepEqual(inventory(world), before);
    });
  }
}

/** What customers were told cannot be taken back. */
function inventory({ landscape }: World) {
  const { spc: _told, ...others } = whatExists(landscape) as Record<string, unknown>;
  return others;
}

/** The same operation, with a new process after each of its stages. */
export async function restartAfterEachStage(
  begin: (world: World, instanceId: string) => Promise<string>,
  look: (world: World, instanceId: string, ended: StoredOperation) => Promise<void>,
): Promise<void> {
  await using landscape = await startLandscape();
  await using database = await testDatabase({ migrations: ['engine', 'broker'] });
  let world = await startBroker({ landscape, database });
  try {
    const instanceId = await provisioned(world, 'azure');
    const id = await begin(world, instanceId);
    const { type } = (await world.engine.get(id)) ?? assert.fail();
    for (let stages = 1; stages < world.engine.definitions.get(type).stages.length; stages += 1) {
      await world.pass(id, ({ finished_stages }) => finished_stages.length >= stages);
      const { offset } = world.clock;
      await world[Symbol.asyncDispose]();
      world = await startBroker({ landscape, database });
      world.clock.advance(offset);
      await world.engine.wake(id);
    }
    const ended = await world.pass(id);
    assert.equal(ended.state, 'succeeded', JSON.stringify(ended.error));
    await look(world, instanceId, ended);
  } finally {
    await world[Symbol.asyncDispose]();
  }
}

type Definition = { readonly definition: OperationDefinition };

/** Every stage of these operations starts over when it has come to its end. */
export const startingOver =
  (...types: readonly string[]) =>
  (operations: readonly Definition[]): Definition[] =>
    operations.flatMap((each): readonly Definition[] =>
      types.includes(each.definition.type) ? eachStageTwice([each]) : [each],
    );
