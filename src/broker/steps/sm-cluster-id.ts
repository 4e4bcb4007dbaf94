import { randomUUID } from 'node:crypto';
import type { StageMemory } from '#engine';
import type { Instance } from '../instance.ts';
import type { Services } from '../services.ts';
import { kubeconfigKey } from './get-kubeconfig.ts';

/** Where an instance without an identity gets it from: a cluster that has been in use may have one already. */
export type ClusterIdentity = 'new' | 'of the cluster';

/** The cluster's identity towards BTP: found once, and on record before anybody is told of it. */
export async function smClusterIdOf(
  { instances, database, clients }: Services,
  { id, details }: Instance,
  from: {
    readonly identity: ClusterIdentity | undefined;
    readonly memory: StageMemory;
    readonly signal: AbortSignal;
  },
): Promise<string> {
  if (details.smClusterId !== undefined) return details.smClusterId;
  const found =
    from.identity === 'of the cluster'
      ? await clients.openCluster(from.memory.get(kubeconfigKey)).clusterId(from.signal)
      : randomUUID();
  const { smClusterId = found } = await instances.rememberUnlessKnown(database.pool, id, {
    smClusterId: found,
  });
  return smClusterId;
}
