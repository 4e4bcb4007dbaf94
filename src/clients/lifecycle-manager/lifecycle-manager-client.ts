import {
  kubernetesConnection,
  type KubernetesSettings,
} from '../kubernetes/kubernetes-connection.ts';
import { kubeconfigSecrets, type KubeconfigSecrets } from './kubeconfig-secrets.ts';
import { kymas, type Kymas } from './kymas.ts';

/**
 * The Lifecycle Manager installs modules in the runtimes that have a Kyma resource in its cluster, and comes in by the
 * kubeconfig in a Secret of the same namespace. A cluster without it does not know the kind: reason `noSuchKind`.
 */
export type LifecycleManagerClient = Kymas & KubeconfigSecrets;

export function lifecycleManagerClient(settings: KubernetesSettings): LifecycleManagerClient {
  const connection = kubernetesConnection('lifecycle-manager', settings);
  return { ...kubeconfigSecrets(connection), ...kymas(connection) };
}
