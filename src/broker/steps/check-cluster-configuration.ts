import type { ClusterState } from '#clients';
import { done, fail, wait, type Step } from '#engine';
import { minutes, seconds, type Milliseconds } from '#time';
import type { Services } from '../services.ts';
import { steady } from './steady.ts';
import { runtimeIdOf, theInstance } from './the-instance.ts';

const system = 'reconciler';

/**
 * The Reconciler never gives up by itself, so there is a limit. Once that is reached the cluster stays registered there,
 * until deprovisioning deregisters it.
 */
export const checkClusterConfiguration = (
  services: Services,
  {
    name = 'Check_Cluster_Configuration',
    within,
  }: {
    readonly name?: 'Check_Cluster_Configuration' | 'CheckReconcilerState';
    readonly within: Milliseconds | undefined;
  } = { within: services.settings.limits.reconciling },
): Step<{ kymaVersion: string; clusterConfigurationVersion?: number }> => ({
  name,
  about: 'Waits until the Reconciler has installed Kyma.',
  domain: 'Reconciler',
  owner: 'Team Gopher',
  retry: steady(minutes(1), within),
  async run({ operation, facts, signal, log }) {
    const { clusterConfigurationVersion: version, kymaVersion } = facts;
    const { clients, instances, database } = services;
    const { reconciler } = clients;
    if (!reconciler || version === undefined) throw new Error('no step has asked for Kyma');
    const instance = await theInstance(services, { operation });
    const state = await reconciler.clusterState(runtimeIdOf(instance), version, signal);
    switch (state.status) {
      case 'ready':
        if (instance.details.kymaVersion !== kymaVersion)
          await instances.remember(database.pool, instance.id, { kymaVersion });
        return done();
      case 'error':
        return fail(new KymaFailed(state));
      case 'reconcile_pending':
      case 'reconciling':
        return wait(seconds(30), `the Reconciler reports ${state.status}`, system);
      case 'reconcile_error_retryable':
        return wait(minutes(10), 'the Reconciler has failed, and will try again', system);
      default:
        log.warn({ status: state.status }, 'the Reconciler reports a status that is not expected');
        return wait(seconds(30), `the Reconciler reports ${state.status}`, system);
    }
  },
});

/** Names each component that could not be installed. */
export class KymaFailed extends Error {
  override readonly name = 'KymaFailed';
  readonly temporary = false;
  readonly system = system;
  readonly reason: string;

  constructor({ cluster, failures }: ClusterState) {
    const each = failures.map(
      ({ component, reason }) => `component ${component} failed: ${reason}`,
    );
    super(
      `Kyma could not be installed in ${cluster}: ${each.join('; ') || 'no component is named'}`,
    );
    this.reason =
      failures.map(({ component }) => component).join(', ') || 'err_reconciler_nil_failures';
  }
}
