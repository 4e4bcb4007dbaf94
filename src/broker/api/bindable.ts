import { Refusal } from '../errors.ts';
import type { Api } from './api.ts';
import { isStillUsable, type Found } from './instance-state.ts';

/** Whether an instance can be bound at all, and now. */
export function checkBindable({ plans }: Api, { instance, state, last }: Found): void {
  const { id, planId, planName } = instance;
  if (plans.find(planId)?.bindable === false)
    throw new Refusal('NOT_BINDABLE', `instances of plan ${planName} cannot be bound`);
  const busy = (what: string) => new Refusal('OPERATION_IN_PROGRESS', `the instance ${id} ${what}`);
  const useless = (what: string) => new Refusal('INSTANCE_UNUSABLE', `the instance ${id} ${what}`);
  switch (state) {
    case 'ready':
      return;
    case 'provisioning':
      throw busy('is being provisioned');
    case 'updating':
      throw busy('is being updated');
    case 'suspending':
      throw busy('is being suspended');
    case 'unsuspending':
      throw busy('is being unsuspended');
    case 'deprovisioning':
      throw busy('is being deprovisioned');
    case 'suspended':
      throw useless('is suspended: it has no runtime');
    case 'provision failed':
    case 'remains':
      throw useless('has no runtime');
    case 'deprovision failed':
      if (isStillUsable(last)) return;
      throw useless('is half removed');
  }
}
