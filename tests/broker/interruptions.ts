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
import { startBroker, type BrokerWorldOptions } from '../../src/broker/testing.ts';
import { testDatabase } from '../../src/database/testing.ts';
import { startLandscape } from '../../src/landscape/testing.ts';

type Order = NonNullable<Parameters<typeof provisioned>[2]>;
type Disturb = NonNullable<BrokerWorldOptions['disturb']>;
type Begun = { readonly instanceId: string; readonly operationId: string };

export type Interruptions = {
  /** The type of the operation upon which the deletion comes. */
  readonly type: string;
  readonly open: (disturb: Disturb) => Promise<World>;
  /** For each step anew; `own` are the parameters of an order for a cluster of the customer's own. */
  readonly begin: (world: World, step: string, own: object) => Promise<Begun>;
  /** What may stay, because nobody can take it away. */
  readonly stays?: readonly string[];
};

/**
 * For each step of the operation a runtime of its own, whose deletion comes when the step has done its work: the operation
 * ends and says why, and nothing is left of the runtime.
 */
export async function deleteComesUponEachStep(
  t: TestContext,
  { type, open, begin, stays = [] }: Interruptions,
): Promise<void> {
  const target = { step: '', world: undefined as World | undefined };
  await using world = await open(
    afterEachStep(type, async (step, { operation, signal }) => {
      if (step !== target.step) return;
      target.step = ''; // the deletion may have a step of this name
      await target.world?.remove(operation.subject);
      if (!signal.aborted) await once(signal, 'abort');
    }),
  );
  target.world = world;
  const own = await ownCluster(world);
  const existing = () => {
    const { spc: _told, ...others } = whatExists(world.landscape) as Record<string, unknown>;
    return Object.fromEntries(Object.entries(others).filter(([name]) => !stays.includes(name)));
  };
  const before = existing();
  const steps = world.engine.definitions.get(type).stages.flatMap((stage) => stage.steps);
  for (const { name } of steps) {
    await t.test(name, async () => {
      target.step = name;
      const { instanceId, operationId } = await begin(world, name, own);
      const { state, description } = await world.pass(operationId);
      assert.deepEqual(
        [state, description],
        ['canceled', 'canceled: the instance is being deleted'],
      );
      const { step, outcome } = (await world.engine.timeline(operationId)).at(-1) ?? assert.fail();
      assert.deepEqual([step, outcome], [name, 'canceled']);
      const operations = await world.engine.ofSubject(instanceId);
      const removal = operations.find((each) => each.type === 'deprovision');
      assert.equal((await world.pass(removal?.id ?? '')).description, 'succeeded');
      assert.ok(operations.every(({ state: each }) => each !== 'pending'));
      assert.equal(await world.instance(instanceId), undefined);
      assert.deepEqual(existing(), before);
      assert.deepEqual(maintenanceGoingOn(world.landscape), []);
    });
  }
}

/** Begins the operation on a runtime that is there; a trial unless the step needs another one: it never wants for an account. */
export const onRuntime =
  (
    begin: (world: World, instanceId: string, step: string) => Promise<string>,
    orderFor: (step: string, own: object) => Order & { readonly plan?: string } = () => ({}),
  ): Interruptions['begin'] =>
  async (world, step, own) => {
    const { plan = 'trial', ...order } = orderFor(step, own);
    const instanceId = await provisioned(world, plan, order);
    return { instanceId, operationId: await begin(world, instanceId, step) };
  };

/** Customers who were told that a maintenance begins, and not that it is over. */
function maintenanceGoingOn(landscape: World['landscape']): unknown[] {
  const events = (landscape.inventory()['spc']?.['maintenanceEvents'] ?? []) as {
    tenants: { eventState?: string }[];
  }[];
  return events.filter(({ tenants }) => tenants.some(({ eventState }) => eventState !== '2'));
}

/** The same operation, with a new process after each of its stages. */
export async function restartAfterEachStage(
  begin: (world: World, instanceId: string) => Promise<string>,
  look: (world: World, instanceId: string, ended: StoredOperation) => Promise<void>,
): Promise<void> {
  await using landscape = await startLandscape();
  await using database = await testDatabase({ migrations: ['engine', 'audit', 'broker'] });
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
