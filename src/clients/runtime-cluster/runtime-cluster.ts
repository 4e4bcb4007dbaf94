import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { KubernetesSettings } from '../kubernetes/kubernetes-connection.ts';
import type { Kubeconfig } from '../provisioner/kubeconfig.ts';
import type { SystemLimits } from '../system-limits.ts';
import { ensureAgentConfiguration, type AgentConfiguration } from './agent-configuration.ts';
import { btpCredentialsSecret, type BtpCredentialsSecret } from './btp-credentials-secret.ts';
import { btpResources, type BtpResources } from './btp-resources.ts';
import { clusterConnection } from './cluster-connection.ts';
import { clusterIdOf } from './cluster-id.ts';
import { ensureOperatorAccess, type OperatorAccess } from './operator-access.ts';
import { secretsOf } from './secrets.ts';
import { temporaryAccess, type TemporaryAccess } from './temporary-access.ts';

/** The cluster of one runtime, seen by an administrator. Everything that ensures something is safe to repeat. */
export type RuntimeCluster = {
  /** Of Kubernetes: an API server that tells it is up. It tells everybody, so this proves nothing about credentials. */
  readonly version: (signal: AbortSignal) => Promise<string>;
  readonly ensureNamespace: (name: string, signal: AbortSignal) => Promise<void>;
  /** Its identity towards BTP: the one it has, or else a new one, from now on its own. */
  readonly clusterId: (signal: AbortSignal) => Promise<string>;
  readonly btpCredentials: BtpCredentialsSecret;
  readonly btpResources: BtpResources;
  readonly ensureOperatorAccess: (access: OperatorAccess, signal: AbortSignal) => Promise<void>;
  readonly ensureAgentConfiguration: (
    configuration: AgentConfiguration,
    signal: AbortSignal,
  ) => Promise<void>;
  readonly temporaryAccess: TemporaryAccess;
};

/** So many clusters are remembered: what is known of their outages lasts from one step to the next. */
const mostRemembered = 200;

/** Each cluster has its own limits: one that fails leaves the others alone. */
export function runtimeClusters(limits: SystemLimits): (kubeconfig: Kubeconfig) => RuntimeCluster {
  const remembered = new Map<string, RuntimeCluster>();
  return (kubeconfig) => {
    const text = kubeconfig.reveal();
    const key = createHash('sha256').update(text).digest('base64');
    const cluster = remembered.get(key) ?? openCluster({ ...limits, kubeconfig: text });
    remembered.delete(key);
    remembered.set(key, cluster); // the one used last stands last
    const [oldest] = remembered.keys();
    if (remembered.size > mostRemembered && oldest !== undefined) remembered.delete(oldest);
    return cluster;
  };
}

function openCluster(settings: KubernetesSettings): RuntimeCluster {
  const connection = clusterConnection(settings);
  const secrets = secretsOf(connection);
  return {
    async version(signal) {
      const { gitVersion } = await connection.request({
        method: 'GET',
        path: '/version',
        answer: z.object({ gitVersion: z.string().min(1) }),
        what: 'ask for the version',
        signal,
      });
      return gitVersion;
    },
    ensureNamespace: connection.ensureNamespace,
    clusterId: clusterIdOf(connection),
    btpCredentials: btpCredentialsSecret(secrets),
    btpResources: btpResources(connection),
    ensureOperatorAccess: ensureOperatorAccess(connection),
    ensureAgentConfiguration: ensureAgentConfiguration(secrets),
    temporaryAccess: temporaryAccess(connection, settings.kubeconfig),
  };
}
