import { clusterNotFound, SystemError, type ClusterState, type ReconcilerClient } from '#clients';
import { done, fail, skip, wait, type Step } from '#engine';
import { minutes, seconds } from '#time';
import type { Services } from '../services.ts';
import type { Deregistered } from './deregister-cluster.ts';
import { NotBegun, waitAtMost } from './removal.ts';
import { theInstance } from './the-instance.ts';

const system = 'reconciler';

/** The Reconciler uninstalls Kyma meanwhile: until then the cluster should be there. */
export const checkClusterDeregistration = (services: Services): Step<Deregistered> => ({
  name: 'Check_Cluster_Deregistration',
  about: 'Waits until the Reconciler has let go of the cluster.',
  domain: 'Reconciler',
  owner: 'Team Gopher',
  retry: waitAtMost(minutes(90)),
  async run({ operation, facts, signal, log }) {
    const { clients, instances, database } = services;
    const { id, runtimeId, details } = await theInstance(services, { operation });
    const version = details.clusterConfigurationVersion;
    if (!clients.reconciler || runtimeId === undefined || version === undefined)
      return skip('no configuration is on record that could be asked for');
    if (!facts.clusterConfigurationDeleted)
      return fail(new NotBegun(`the Reconciler was not told to let go of cluster ${runtimeId}`));
    const state = await stateOf(clients.reconciler, runtimeId, version, signal);
    const status = state?.status;
    switch (status) {
      case undefined:
      case 'deleted':
        await instances.remember(database.pool, id, { clusterConfigurationVersion: null });
        return done();
      case 'delete_pending':
      case 'deleting':
      case 'delete_error_retryable':
        return wait(seconds(30), `the cluster is ${status}`, system);
      case 'delete_error':
      case 'error':
        return fail(new DeregistrationFailed(runtimeId, state?.failures ?? []));
      default:
        log.warn({ status }, 'the Reconciler is in a state that is not expected here');
        return wait(minutes(1), `the cluster is ${status}, not being deleted`, system);
    }
  },
});

/** Undefined when it is gone: the Reconciler does not find it any more. */
async function stateOf(
  reconciler: ReconcilerClient,
  runtimeId: string,
  version: number,
  signal: AbortSignal,
): Promise<ClusterState | undefined> {
  try {
    return await reconciler.clusterState(runtimeId, version, signal);
  } catch (error) {
    if (error instanceof SystemError && error.reason === clusterNotFound) return undefined;
    throw error;
  }
}

class DeregistrationFailed extends Error {
  override readonly name = 'DeregistrationFailed';
  readonly system = system;
  readonly reason: string;

  constructor(runtimeId: string, failures: ClusterState['failures']) {
    const why = failures.map(({ component, reason }) => `component ${component}: ${reason}`);
    super(
      `the Reconciler could not let go of cluster ${runtimeId}: ${why.join(', ') || 'it does not say why'}`,
    );
    this.reason =
      failures.map(({ component }) => component).join() || 'err_reconciler_nil_failures';
  }
}
