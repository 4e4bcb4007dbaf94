import { done, fail, type Step } from '#engine';
import type { Services } from '../services.ts';
import { theInstance } from './the-instance.ts';

/**
 * Little is left to do here: the engine itself lets an operation wait as pending while another one works on the instance,
 * and begins it afterwards. Whoever waited may find that the instance is gone meanwhile.
 */
export const starting = (services: Services): Step => ({
  name: 'Starting',
  about: 'Makes sure that the instance is still there when its turn has come.',
  domain: 'Provisioning',
  owner: 'Team Gopher',
  async run({ operation }) {
    const { id, runtimeId } = await theInstance(services, { operation });
    // Of a suspension, which has not removed all. Its names would be in the way of a new runtime, or the other way round.
    return runtimeId === undefined ? done() : fail(new FormerRuntimeLeft(id, runtimeId));
  },
});

class FormerRuntimeLeft extends Error {
  override readonly name = 'FormerRuntimeLeft';
  readonly temporary = false;
  readonly reason = 'former_runtime_left';

  constructor(id: string, runtimeId: string) {
    super(`the former runtime ${runtimeId} of the instance ${id} is not completely removed`);
  }
}
