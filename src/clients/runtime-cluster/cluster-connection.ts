import { SystemError } from '../system-error.ts';
import {
  kubernetesConnection,
  type KubernetesConnection,
  type KubernetesRequest,
  type KubernetesSettings,
} from '../kubernetes/kubernetes-connection.ts';

export const system = 'runtime-cluster';

/** One runtime cluster: the connection, and what all that work with it need. */
export type ClusterConnection = KubernetesConnection & {
  /** Says whether it was created now: what is there already is left as it is. */
  readonly create: (
    request: Pick<KubernetesRequest<never>, 'path' | 'body' | 'what' | 'signal'>,
  ) => Promise<'created' | 'exists'>;
  readonly ensureNamespace: (name: string, signal: AbortSignal) => Promise<void>;
};

export function clusterConnection(settings: KubernetesSettings): ClusterConnection {
  const connection = kubernetesConnection(system, settings);

  const create: ClusterConnection['create'] = async (request) => {
    try {
      await connection.request({ ...request, method: 'POST' });
      return 'created';
    } catch (error) {
      if (error instanceof SystemError && error.reason === 'AlreadyExists') return 'exists';
      throw error;
    }
  };

  return {
    ...connection,
    create,
    async ensureNamespace(name, signal) {
      await create({
        path: '/api/v1/namespaces',
        body: { apiVersion: 'v1', kind: 'Namespace', metadata: { name } },
        what: `create namespace ${name}`,
        signal,
      });
    },
  };
}

/** Somebody removed between two calls what the first had seen: the whole is worth another try. */
export const goneMeanwhile = (what: string) =>
  new SystemError(system, `${system}: cannot ${what}: it was removed meanwhile`, {
    temporary: true,
    reason: 'Conflict',
  });
