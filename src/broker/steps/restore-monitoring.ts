import type { Lifecycle } from '#clients';
import { done, skip, type Step } from '#engine';
import type { Services } from '../services.ts';
import { aWhile, evaluationsOf } from './avs-maintenance-mode.ts';
import { theInstance } from './the-instance.ts';

const lifecycles: readonly Lifecycle[] = [
  'ACTIVE',
  'MAINTENANCE',
  'INACTIVE',
  'RETIRED',
  'DELETED',
];

/** Stays on record as long as AvS does not hear of it: then the end of the next upgrade does it. */
export const restoreMonitoring = (services: Services): Step => ({
  name: 'Restore_Monitoring',
  about: 'Has AvS watch the runtime as it did before the upgrade.',
  domain: 'AvS',
  owner: 'Team Gopher',
  retry: aWhile(services),
  async run({ operation, signal }) {
    const { clients, instances, database } = services;
    const instance = await theInstance(services, { operation });
    const before = instance.details.avsMaintenance;
    if (!clients.avs || !before) return skip('AvS was not told of any maintenance');
    for (const id of evaluationsOf(instance)) {
      const lifecycle = before[id];
      if (lifecycle === undefined) continue;
      await clients.avs.setLifecycle(id, known(lifecycle), signal);
    }
    await instances.remember(database.pool, instance.id, { avsMaintenance: null });
    return done();
  },
});

const known = (lifecycle: string): Lifecycle =>
  lifecycles.find((each) => each === lifecycle) ?? 'ACTIVE';
