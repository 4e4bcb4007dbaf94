import type { CisClient } from '#clients';
import { accountCleanUpJob } from '../steps/btp-operator-cleanup.ts';
import { startDeprovisioning } from '../start-deprovisioning.ts';
import { ofSubaccounts } from './candidates.ts';
import type { Job, JobContext, JobSettings } from './job.ts';

/** Where the run stands: on which page of the events, and behind which instance of its subaccounts. */
type Place = { readonly page?: string; readonly after?: string };

const batch = 100;

/** Nobody could delete these any more: with the subaccount, its platform has gone. */
export const subaccountCleanup = (settings: JobSettings, cis: CisClient | undefined): Job => ({
  name: 'subaccount-cleanup',
  about: 'Removes the instances of subaccounts that were deleted',
  settings,
  cannotRun: cis
    ? undefined
    : 'nobody tells which subaccounts were deleted: set CIS_EVENT_SERVICE_URL',
  async run(context) {
    if (!cis) return 'through';
    for (;;) {
      const place = placeOf(context);
      const found = await cis.deletedSubaccounts(place.page, context.signal);
      if (found.foreignTypes.length > 0)
        context.log.warn({ types: found.foreignTypes }, 'CIS tells events that nobody asked for');
      if ((await removeAll(context, [...new Set(found.subaccountIds)])) === 'more') return 'more';
      if (found.next === undefined) return 'through';
      const next: Place = { page: found.next };
      await context.each(JSON.stringify(next), async () => undefined);
      if (context.isEnough()) return 'more';
    }
  },
});

const placeOf = ({ after }: JobContext): Place =>
  after === undefined ? {} : (JSON.parse(after) as Place); // as it was stored

async function removeAll(
  context: JobContext,
  subaccounts: readonly string[],
): Promise<'through' | 'more'> {
  const { services, dryRun } = context;
  for (;;) {
    const { page, after = '' } = placeOf(context);
    const ids = await ofSubaccounts(services.database.pool, { after, limit: batch }, subaccounts);
    for (const id of ids) {
      const place: Place = { ...(page !== undefined && { page }), after: id };
      await context.each(
        JSON.stringify(place),
        async (db) => {
          if (dryRun) return { subject: id, outcome: 'candidate' };
          const request = { instanceId: id, userAgent: accountCleanUpJob };
          const operation = await startDeprovisioning(services, request, db);
          return operation && { subject: id, outcome: 'accepted' };
        },
        id,
      );
    }
    if (ids.length < batch) return 'through';
    if (context.isEnough()) return 'more';
  }
}
