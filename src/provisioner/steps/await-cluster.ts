import { inTransaction } from '#database';
import { done, fail, wait, type Step } from '#engine';
import { seconds } from '#time';
import type { Services } from '../services.ts';
import { seenConfig } from '../shoot/seen-config.ts';
import { ShootGone, shootState } from './shoot-state.ts';
import { theRuntime, theShoot } from './the-runtime.ts';

/** The cluster is there, and what Gardener has chosen for it is on record. */
export const awaitCluster = (services: Services): Step => ({
  name: 'Await_Cluster',
  about: 'Waits until the cluster is there, and keeps what Gardener has chosen for it.',
  domain: 'Gardener',
  owner: 'Team Framefrog',
  retry: { every: seconds(2), within: services.settings.limits.clusterCreation },
  async run({ operation, signal, log }) {
    const { runtimes, database } = services;
    const runtime = await theRuntime(services, { operation });
    const shoot = await theShoot(services, runtime, signal);
    if (!shoot) throw new ShootGone(runtime.shootName);
    const state = shootState(shoot, 'cluster provisioning failed');
    switch (state.kind) {
      case 'busy':
        log.debug({ shoot: runtime.shootName, because: state.because }, 'the cluster is not ready');
        return wait(seconds(20), state.because, 'gardener');
      case 'failed':
        return fail(state.error);
      case 'ready': {
        const config = seenConfig(runtime.config, shoot);
        await inTransaction(database, (db) =>
          runtimes.putInForce(db, runtime.id, operation.id, { config }),
        );
        return done();
      }
    }
  },
});
