import { done, type Step } from '#engine';
import { seconds } from '#time';
import type { Services } from '../services.ts';
import { createEvaluation } from './avs-evaluation.ts';
import { steady } from './steady.ts';
import { theInstance } from './the-instance.ts';

export const avsCreateInternalEval = (services: Services): Step => ({
  name: 'AVS_Create_Internal_Eval_Step',
  about: 'Has the runtime watched from inside: creates the internal evaluation.',
  domain: 'AvS',
  owner: 'Team Gopher',
  retry: steady(seconds(30), services.settings.limits.avsInternal),
  async run({ operation, signal }) {
    const { avs } = services.clients;
    const instance = await theInstance(services, { operation });
    if (avs) await createEvaluation(services, avs, instance, { side: 'int', signal });
    return done();
  },
});
