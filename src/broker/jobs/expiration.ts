import { inWords, type Milliseconds } from '#time';
import { lockInstance } from '../api/instance-state.ts';
import { expireInstance, type ExpiringPlan } from '../expire-instance.ts';
import { tooOld } from './candidates.ts';
import type { Job, JobSettings } from './job.ts';
import { overAll } from './over-all.ts';

export type ExpirationSettings = JobSettings & {
  /** So old an instance may get. */
  readonly period: Milliseconds;
  /** Only this one's, for a trial of the job itself. */
  readonly subaccount?: string | undefined;
};

/** Also takes up again what an earlier suspension of an expired instance could not do. */
export const expiration = (plan: ExpiringPlan, settings: ExpirationSettings): Job => ({
  name: `${plan}-expiration`,
  about: `Suspends instances of the plan ${plan} when their time is over, for good`,
  settings,
  shown: {
    period: inWords(settings.period),
    ...(settings.subaccount !== undefined && { subaccount: settings.subaccount }),
  },
  run: overAll(
    ({ services: { database }, now }, after, limit) =>
      tooOld(
        database.pool,
        { after, limit },
        { plan, createdBefore: new Date(now.getTime() - settings.period), ...settings },
      ),
    async ({ services, dryRun }, id, db) => {
      const found = await lockInstance(services, id, db);
      if (!found) return undefined;
      const { instance, state } = found;
      if (state === 'suspending' && instance.expiredAt)
        return { subject: id, outcome: 'skipped', because: 'it is being suspended already' };
      if (dryRun) return { subject: id, outcome: 'candidate', because: `it is ${state}` };
      const operation = await expireInstance(services, found, db);
      if (!operation) return { subject: id, outcome: 'only marked', because: `it is ${state}` };
      return { subject: id, outcome: operation.ended_at === null ? 'suspended' : 'only marked' };
    },
  ),
});
