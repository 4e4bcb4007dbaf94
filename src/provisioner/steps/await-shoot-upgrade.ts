import { inTransaction } from '#database';
import { done, fail, wait, type Step } from '#engine';
import { seconds } from '#time';
import type { Services } from '../services.ts';
import { seenConfig } from '../shoot/seen-config.ts';
import { ShootGone, upgradeState } from './shoot-state.ts';
import { theRuntime, theShoot } from './the-runtime.ts';

/** Whatever comes of it, on record is what the cluster has now. */
export const awaitShootUpgrade = (services: Services): Step => ({
  name: 'Await_Shoot_Upgrade',
  about: 'Waits until the cluster is as it shall be, and keeps what it has then.',
  domain: 'Gardener',
  owner: 'Team Framefrog',
  retry: { every: seconds(2), within: services.settings.limits.shootUpgrade },
  async run({ operation, signal }) {
    const { runtimes, database } = services;
    const runtime = await theRuntime(services, { operation });
    const shoot = await theShoot(services, runtime, signal);
    if (!shoot) throw new ShootGone(runtime.shootName);
    const state = upgradeState(shoot, 'gardener Shoot cluster upgrade failed');
    if (state.kind === 'busy') return wait(seconds(20), state.because, 'gardener');
    const config = seenConfig(runtime.config, shoot);
    await inTransaction(database, (db) =>
      runtimes.putInForce(db, runtime.id, operation.id, { config }),
    );
    return state.kind === 'failed' ? fail(state.error) : done();
  },
});
