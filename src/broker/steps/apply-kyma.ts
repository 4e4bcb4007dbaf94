import { kymaResource, type KymaTemplate } from '#clients';
import { done, wait, type Step } from '#engine';
import { seconds } from '#time';
import { kymaFacts } from '../kyma/kyma-facts.ts';
import { kymaTemplate } from '../kyma/kyma-template.ts';
import type { Services } from '../services.ts';
import { steady } from './steady.ts';
import { runtimeIdOf, theInstance } from './the-instance.ts';

/** A Kyma that is there keeps its spec. Nobody waits here until its modules are ready: that is between it and its owner. */
export const applyKyma = (
  services: Services,
): Step<{ kymaVersion: string; kymaTemplate?: KymaTemplate }> => ({
  name: 'Apply_Kyma',
  about: 'Creates the Kyma resource, from which Lifecycle Manager installs modules.',
  domain: 'Lifecycle Manager',
  owner: 'Team Gopher',
  retry: steady(seconds(1), seconds(10)),
  async run({ operation, facts, signal }) {
    const { clients, instances, database } = services;
    if (!clients.lifecycleManager) return done();
    const instance = await theInstance(services, { operation });
    const template =
      // Missing only in operations that began while Lifecycle Manager was switched off.
      facts.kymaTemplate ?? (await kymaTemplate(services, instance, facts.kymaVersion, signal));
    const resource = kymaResource(template, kymaFacts(instance, runtimeIdOf(instance)));
    const { apiVersion, metadata } = resource;
    const { namespace, name } = metadata;
    await instances.remember(database.pool, instance.id, { kyma: { apiVersion, namespace, name } });
    const kyma = await clients.lifecycleManager.applyKyma(resource, signal);
    return kyma.isBeingDeleted
      ? wait(seconds(1), `the Kyma ${name} is still being deleted`, 'lifecycle-manager')
      : done();
  },
});
