import { inTransaction, type Secret } from '#database';
import { done, type Step } from '#engine';
import { minutes, seconds } from '#time';
import type { GardenerConfig } from '../config/gardener-config.ts';
import type { Services } from '../services.ts';
import { upgradedShoot } from '../shoot/upgraded-shoot.ts';
import { ShootGone } from './shoot-state.ts';
import { theRuntime, theShoot } from './the-runtime.ts';

/** The cluster as it shall be. The administrators are sealed: they name people. */
export type ShootUpgrade = { readonly config: GardenerConfig; readonly administrators: Secret };

/** Tells Gardener what is wanted now. What it was told is on record, whatever comes of it. */
export const upgradeShoot = (services: Services): Step<ShootUpgrade, { generation: number }> => ({
  name: 'Upgrade_Shoot',
  about: 'Tells Gardener how the cluster shall be.',
  domain: 'Gardener',
  owner: 'Team Framefrog',
  gives: ['generation'],
  retry: { every: seconds(2), upTo: minutes(1), within: services.settings.limits.shootRefresh },
  async run({ operation, facts, signal }) {
    const { clients, runtimes, database, settings } = services;
    const runtime = await theRuntime(services, { operation });
    const shoot = await theShoot(services, runtime, signal);
    if (!shoot) throw new ShootGone(runtime.shootName);
    const { id, tenant, subaccount } = runtime;
    const owner = { runtimeId: id, operationId: operation.id, tenant, subaccount };
    const wanted = upgradedShoot(shoot, facts.config, { ...owner, settings: settings.shoot });
    const { metadata } = await clients.gardener.shoots.apply(wanted, signal);
    const administrators = JSON.parse(facts.administrators.reveal()) as string[]; // as they were sealed
    await inTransaction(database, (db) =>
      runtimes.putInForce(db, id, operation.id, { config: facts.config, administrators }),
    );
    return done({ generation: metadata.generation ?? 0 });
  },
});
