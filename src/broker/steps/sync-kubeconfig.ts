import { kymaMetadata, type KymaTemplate } from '#clients';
import { done, type Step } from '#engine';
import { minutes } from '#time';
import { kymaFacts } from '../kyma/kyma-facts.ts';
import { kymaTemplate } from '../kyma/kyma-template.ts';
import type { Services } from '../services.ts';
import { kubeconfigKey } from './get-kubeconfig.ts';
import { steady } from './steady.ts';
import { runtimeIdOf, theInstance } from './the-instance.ts';

/** Lifecycle Manager comes into the cluster by a Secret that lies beside the Kyma. */
export const syncKubeconfig = (
  services: Services,
): Step<{ kymaVersion: string; kymaTemplate?: KymaTemplate }> => ({
  name: 'Sync_Kubeconfig',
  about: 'Hands the kubeconfig of the cluster to Lifecycle Manager.',
  domain: 'Lifecycle Manager',
  owner: 'Team Gopher',
  retry: steady(minutes(1), minutes(5)),
  async run({ operation, facts, memory, signal }) {
    const { clients, instances, database } = services;
    if (!clients.lifecycleManager) return done();
    const instance = await theInstance(services, { operation });
    const { apiVersion, metadata } =
      // Missing only in operations that began while Lifecycle Manager was switched off.
      facts.kymaTemplate ?? (await kymaTemplate(services, instance, facts.kymaVersion, signal));
    const kyma = kymaMetadata(kymaFacts(instance, runtimeIdOf(instance)));
    const { namespace } = metadata;
    // On record first: whatever becomes of this run, a removal knows where to look.
    const place = { apiVersion, namespace, name: kyma.name };
    await instances.remember(database.pool, instance.id, { kyma: place });
    await clients.lifecycleManager.storeKubeconfig(
      namespace,
      kyma,
      memory.get(kubeconfigKey),
      signal,
    );
    return done();
  },
});
