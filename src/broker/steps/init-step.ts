import { done, type Step } from '#engine';
import type { Services } from '../services.ts';
import { theInstance } from './the-instance.ts';

/**
 * The engine has seen to it that nothing else runs on the instance. All that is to be removed stands in the instance's
 * row, and each step reads it there; the runtime's id is kept with the operation too, which outlives the row.
 */
export const initStep = (services: Services): Step<object, { runtimeId?: string }> => ({
  name: 'Init_Step',
  about: 'Begins once no other operation runs on the instance, with what is known of its runtime.',
  domain: 'Deprovisioning',
  owner: 'Team Gopher',
  gives: ['runtimeId'],
  async run({ operation }) {
    const { runtimeId } = await theInstance(services, { operation });
    return done(runtimeId === undefined ? {} : { runtimeId });
  },
});
