import type { KymaTemplate } from '#clients';
import { done, type Step } from '#engine';
import { minutes, seconds } from '#time';
import { kymaTemplate } from '../kyma/kyma-template.ts';
import type { Services } from '../services.ts';
import { steady } from './steady.ts';
import { theInstance } from './the-instance.ts';

/** Fails before there is a cluster if nobody has written a template. Without Lifecycle Manager none is needed. */
export const initKymaTemplate = (
  services: Services,
): Step<{ kymaVersion: string; kymaTemplate?: KymaTemplate }, { kymaTemplate: KymaTemplate }> => ({
  name: 'Init_Kyma_Template',
  about: 'Finds the template of the Kyma resource for the plan and the version of Kyma.',
  domain: 'Lifecycle Manager',
  owner: 'Team Gopher',
  gives: ['kymaTemplate'],
  retry: steady(seconds(5), minutes(5)),
  async run({ operation, facts, signal }) {
    if (facts.kymaTemplate) return done({ kymaTemplate: facts.kymaTemplate });
    const instance = await theInstance(services, { operation });
    return done({
      kymaTemplate: await kymaTemplate(services, instance, facts.kymaVersion, signal),
    });
  },
});
