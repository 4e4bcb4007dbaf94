import { done, type Step } from '#engine';
import { seconds } from '#time';
import { clusterConfiguration } from '../kyma/cluster-configuration.ts';
import { kymaParts } from '../kyma/kyma-parts.ts';
import type { Services } from '../services.ts';
import type { Wishing } from '../wanted-changes.ts';
import { kubeconfigKey } from './get-kubeconfig.ts';
import { steady } from './steady.ts';
import { planOf, runtimeIdOf, theInstance } from './the-instance.ts';
import { theOverrides } from './the-overrides.ts';

/** Safe to repeat: the Reconciler gives the same configuration the same version. */
export const createClusterConfiguration = (
  services: Services,
  name:
    | 'Create_Cluster_Configuration'
    | 'Apply_Cluster_Configuration'
    | 'Apply_Reconciler_Configuration' = 'Create_Cluster_Configuration',
): Step<
  Wishing & { kymaVersion: string; clusterConfigurationVersion?: number },
  { clusterConfigurationVersion: number }
> => ({
  name,
  about: 'Has the Reconciler install Kyma, with all settings that the steps before have collected.',
  domain: 'Reconciler',
  owner: 'Team Gopher',
  gives: ['clusterConfigurationVersion'],
  retry: steady(seconds(5)),
  async run({ operation, facts, memory, signal }) {
    const { kymaVersion, clusterConfigurationVersion: known } = facts;
    if (known !== undefined) return done({ clusterConfigurationVersion: known });
    const { clients, instances, database } = services;
    if (!clients.reconciler) throw new Error('the Reconciler is switched off');
    const instance = await theInstance(services, { operation, facts });
    const configuration = clusterConfiguration({
      instance,
      plan: planOf(services, instance),
      runtimeId: runtimeIdOf(instance),
      kymaVersion,
      parts: await kymaParts(services, instance, kymaVersion, signal),
      overrides: theOverrides(memory, instance),
      kubeconfig: memory.get(kubeconfigKey),
    });
    const applied = await clients.reconciler.applyConfiguration(configuration, signal);
    const { configurationVersion: clusterConfigurationVersion } = applied;
    await instances.remember(database.pool, instance.id, { clusterConfigurationVersion });
    return done({ clusterConfigurationVersion });
  },
});
