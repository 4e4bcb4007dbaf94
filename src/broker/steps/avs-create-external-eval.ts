import { done, type Step } from '#engine';
import { seconds } from '#time';
import type { Services } from '../services.ts';
import { newEvaluation } from './avs-evaluation.ts';
import { steady } from './steady.ts';
import { theInstance } from './the-instance.ts';

/** As with the internal one, an answer that gets lost leaves an evaluation behind. */
export const avsCreateExternalEval = (services: Services): Step => ({
  name: 'AVS_Create_External_Eval_Step',
  about: 'Has the runtime watched from outside: creates the external evaluation.',
  domain: 'AvS',
  owner: 'Team Gopher',
  retry: steady(seconds(30), services.settings.limits.avsExternal),
  async run({ operation, signal }) {
    const { clients, instances, database, settings } = services;
    const instance = await theInstance(services, { operation });
    if (!clients.avs || instance.details.avsExternalId !== undefined) return done();
    const wanted = newEvaluation(settings, instance, 'ext');
    const { id } = await clients.avs.createEvaluation(wanted, signal);
    await instances.remember(database.pool, instance.id, { avsExternalId: id });
    return done();
  },
});
