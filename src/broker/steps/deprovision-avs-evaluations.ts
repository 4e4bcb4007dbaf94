import { bestEffort, done, skip, type Step } from '#engine';
import type { Instance } from '../instance.ts';
import type { Services } from '../services.ts';
import { internalPlaceOf } from './avs-evaluation.ts';
import { theInstance } from './the-instance.ts';

export const deprovisionAvsEvaluations = (services: Services): Step => ({
  name: 'De-provision_AVS_Evaluations',
  about: 'Ends the monitoring of the runtime, from inside and from outside.',
  domain: 'AvS',
  owner: 'Team Gopher',
  retry: bestEffort,
  async run({ operation, signal }) {
    const { clients, instances, database } = services;
    const instance = await theInstance(services, { operation });
    const recorded = evaluationsOf(services, instance);
    if (!clients.avs || recorded.length === 0) return skip('no evaluation is on record');
    const { avs } = clients;
    // One that cannot be removed is no reason to keep the other.
    const removals = await Promise.allSettled(
      recorded.map(async ({ entry, id, parentId }) => {
        await avs.removeEvaluation(id, parentId, signal);
        await instances.remember(database.pool, instance.id, { [entry]: null });
      }),
    );
    const failed = removals.flatMap((each) => (each.status === 'rejected' ? [each.reason] : []));
    if (failed.length > 0) throw new AggregateError(failed, failed.map(messageOf).join('; '));
    return done();
  },
});

type Recorded = {
  readonly entry: 'avsInternalId' | 'avsExternalId';
  readonly id: string;
  readonly parentId: number;
};

function evaluationsOf({ settings }: Services, instance: Instance): Recorded[] {
  const { details } = instance;
  const internal = internalPlaceOf(settings, instance);
  const { external } = settings.avs;
  return [
    { entry: 'avsInternalId' as const, id: details.avsInternalId, parentId: internal.parentId },
    { entry: 'avsExternalId' as const, id: details.avsExternalId, parentId: external.parentId },
  ].flatMap(({ id, ...each }) => (id === undefined ? [] : [{ ...each, id }]));
}

const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error));
