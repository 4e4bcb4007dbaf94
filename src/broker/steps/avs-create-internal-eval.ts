import { done, type Step } from '#engine';
import { seconds } from '#time';
import type { Services } from '../services.ts';
import { newEvaluation } from './avs-evaluation.ts';
import { steady } from './steady.ts';
import { theInstance } from './the-instance.ts';

/**
 * AvS cannot be asked by name, and each creation that arrives makes another evaluation. So the id is stored at once, and
 * what is on record is not created again. An answer that gets lost leaves one evaluation behind that only people find, by
 * its name.
 */
export const avsCreateInternalEval = (services: Services): Step => ({
  name: 'AVS_Create_Internal_Eval_Step',
  about: 'Has the runtime watched from inside: creates the internal evaluation.',
  domain: 'AvS',
  owner: 'Team Gopher',
  retry: steady(seconds(30), services.settings.limits.avsInternal),
  async run({ operation, signal }) {
    const { clients, instances, database, settings } = services;
    const instance = await theInstance(services, { operation });
    if (!clients.avs || instance.details.avsInternalId !== undefined) return done();
    const wanted = newEvaluation(settings, instance, 'int');
    const { id } = await clients.avs.createEvaluation(wanted, signal);
    await instances.remember(database.pool, instance.id, { avsInternalId: id });
    return done();
  },
});
