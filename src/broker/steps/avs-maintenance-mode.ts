import { done, skip, type RetryPolicy, type Step } from '#engine';
import { seconds } from '#time';
import type { Instance } from '../instance.ts';
import type { Services } from '../services.ts';
import { theInstance } from './the-instance.ts';

/** An upgrade does not fail because somebody could not be told not to worry. */
export const aWhile = ({ settings }: Services, every = seconds(10)) =>
  ({
    every,
    upTo: every,
    within: settings.limits.maintenanceNotice,
    otherwise: 'go on',
  }) as const satisfies RetryPolicy;

/** How each stood is on record before it changes. Whoever else has put one into maintenance ends that themselves. */
export const avsMaintenanceMode = (services: Services): Step => ({
  name: 'AVS_Maintenance_Mode',
  about: 'Tells AvS that the runtime is under maintenance, so that nobody is alarmed.',
  domain: 'AvS',
  owner: 'Team Gopher',
  retry: aWhile(services),
  async run({ operation, signal }) {
    const { clients, instances, database, settings } = services;
    const instance = await theInstance(services, { operation });
    const { alwaysWatched = [] } = settings.avs;
    if (alwaysWatched === 'all' || alwaysWatched.includes(instance.globalAccount))
      return skip('runtimes of this account are watched during upgrades too');
    const ids = evaluationsOf(instance);
    if (!clients.avs || ids.length === 0) return skip('no evaluation is on record');
    for (const id of ids) {
      const { status } = await clients.avs.getEvaluation(id, signal);
      if (status === 'MAINTENANCE') continue;
      const { details } = await theInstance(services, { operation });
      const avsMaintenance = { ...details.avsMaintenance, [id]: status };
      await instances.remember(database.pool, instance.id, { avsMaintenance });
      await clients.avs.setLifecycle(id, 'MAINTENANCE', signal);
    }
    return done();
  },
});

export const evaluationsOf = ({ details }: Instance): string[] =>
  [details.avsInternalId, details.avsExternalId].filter((id) => id !== undefined);
