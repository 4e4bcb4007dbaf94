import { z } from 'zod';
import { httpClient, type SystemSettings } from '../http-client.ts';
import { SystemError } from '../system-error.ts';
import { missingIn, type ClusterConfiguration } from './cluster-configuration.ts';

/** The Reconciler installs the components of Kyma into a cluster, and keeps them as they were ordered. */
export type ReconcilerClient = {
  /** Safe to repeat: the same configuration has the same version. */
  readonly applyConfiguration: (
    configuration: ClusterConfiguration,
    signal: AbortSignal,
  ) => Promise<ClusterState>;
  /** Fails with the reason `clusterNotFound` for a cluster that is not known, or not any more. */
  readonly clusterState: (
    runtimeId: string,
    configurationVersion: number,
    signal: AbortSignal,
  ) => Promise<ClusterState>;
  /** Only orders the deletion: it has happened when `clusterState` does not find the cluster. */
  readonly deleteCluster: (runtimeId: string, signal: AbortSignal) => Promise<void>;
};

export const clusterNotFound = 'err_cluster_not_found';

export const clusterStatuses = [
  'reconcile_pending',
  'reconciling',
  'reconcile_error_retryable',
  'reconcile_disabled',
  'ready',
  'error',
  'delete_pending',
  'deleting',
  'delete_error_retryable',
  'delete_error',
  'deleted',
] as const;
export type ClusterStatus = (typeof clusterStatuses)[number];

const State = z.object({
  cluster: z.string(),
  clusterVersion: z.number(),
  configurationVersion: z.number(),
  /** One of `clusterStatuses`, or one that a later Reconciler has added. */
  status: z.string().min(1),
  /** Filled in some states alone, and null in the others. */
  failures: z
    .array(z.object({ component: z.string(), reason: z.string() }))
    .nullish()
    .transform((failures) => failures ?? []),
});
export type ClusterState = z.infer<typeof State>;

export function reconcilerClient(settings: SystemSettings): ReconcilerClient {
  const http = httpClient('reconciler', settings);
  const pathOf = (runtimeId: string) => `/v1/clusters/${encodeURIComponent(runtimeId)}`;

  return {
    async applyConfiguration(configuration, signal) {
      const what = `apply the configuration of cluster ${configuration.runtimeID}`;
      const missing = missingIn(configuration);
      if (missing.length > 0) {
        throw new SystemError(
          'reconciler',
          `reconciler: cannot ${what} without ${missing.join()}`,
          {
            temporary: false,
            reason: 'incomplete_configuration',
          },
        );
      }
      const { body } = await http.request({
        method: 'POST',
        path: '/v1/clusters',
        body: configuration,
        expect: [200, 201, 202],
        answer: State,
        what,
        signal,
      });
      return body;
    },
    async clusterState(runtimeId, configurationVersion, signal) {
      const { body } = await http.request({
        method: 'GET',
        path: `${pathOf(runtimeId)}/configs/${configurationVersion}/status`,
        expect: [200],
        answer: State,
        classify: (status) => (status === 404 ? { reason: clusterNotFound } : undefined),
        what: `get the state of cluster ${runtimeId}`,
        signal,
      });
      return body;
    },
    async deleteCluster(runtimeId, signal) {
      await http.request({
        method: 'DELETE',
        path: pathOf(runtimeId),
        expect: [200, 202, 204, 404],
        what: `delete cluster ${runtimeId}`,
        signal,
      });
    },
  };
}
