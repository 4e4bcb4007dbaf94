import { done, type Step } from '#engine';
import { seconds } from '#time';
import type { Services } from '../services.ts';
import { createEvaluation } from './avs-evaluation.ts';
import { steady } from './steady.ts';
import { theInstance } from './the-instance.ts';

export const avsCreateExternalEval = (services: Services): Step => ({
  name: 'AVS_Create_External_Eval_Step',
  about: 'Has the runtime watched from outside: creates the external evaluation.',
  domain: 'AvS',
  owner: 'Team Gopher',
  retry: steady(seconds(30), services.settings.limits.avsExternal),
  async run({ operation, signal }) {
    const { avs } = services.clients;
    const instance = await theInstance(services, { operation });
    if (avs) await createEvaluation(services, avs, instance, { side: 'ext', signal });
    return done();
  },
});
