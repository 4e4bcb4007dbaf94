import type { StepContext } from '#engine';
import type { Instance } from '../instance.ts';
import type { Plan } from '../plans/plans.ts';
import type { Services } from '../services.ts';
import { withChanges, type Wishing } from '../wanted-changes.ts';

type Context = Pick<StepContext<object>, 'operation'> & {
  /** Steps that hand these in work for the instance as it shall be; others on it as it is. */
  readonly facts?: Wishing;
};

/** The instance that the operation works on, as it is stored now. */
export async function theInstance(
  { instances, database }: Pick<Services, 'instances' | 'database'>,
  { operation, facts }: Context,
): Promise<Instance> {
  const instance = await instances.get(database.pool, operation.subject);
  if (!instance) throw new InstanceGone(operation.subject);
  return withChanges(instance, facts?.wanted);
}

/** Its plan, also if it can no longer be ordered. */
export function planOf({ plans }: Services, { planId }: Instance): Plan {
  const plan = plans.find(planId);
  if (!plan) throw new Error(`the catalog has no plan ${planId}`);
  return plan;
}

/** Of the instance's runtime, which an earlier step has asked for. */
export function runtimeIdOf({ id, runtimeId }: Instance): string {
  if (runtimeId === undefined) throw new Error(`the instance ${id} has no runtime`);
  return runtimeId;
}

export class InstanceGone extends Error {
  override readonly name = 'InstanceGone';
  readonly temporary = false;
  readonly reason = 'instance_gone';

  constructor(id: string) {
    super(`the instance ${id} does not exist any more`);
  }
}
