import type { ReleasedAccount } from '#clients';
import type { Entry, Job, JobContext, JobSettings } from './job.ts';

/** The next customer gets an account as if nobody had had it before. What nobody here can clean stays out of the pool. */
export const subscriptionCleanup = (settings: JobSettings): Job => ({
  name: 'subscription-cleanup',
  about: 'Cleans released accounts at hyperscalers, and gives them back to the pool',
  settings,
  async run(context) {
    const { clients } = context.services;
    const released = await clients.accounts.released(context.signal);
    for (const account of released.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
      if (context.after !== undefined && account.name <= context.after) continue;
      if (context.isEnough()) return 'more';
      const entry = await clean(context, account);
      await context.each(account.name, async () => entry);
    }
    return 'through';
  },
});

async function clean(context: JobContext, account: ReleasedAccount): Promise<Entry> {
  const { services, dryRun, signal, log } = context;
  const { name: subject, hyperscalerType } = account;
  try {
    const left = await cleaners[hyperscalerType]?.(context, account);
    if (left === undefined)
      return {
        subject,
        outcome: 'skipped',
        because: `nobody here can clean an account at ${hyperscalerType || 'an unnamed hyperscaler'}`,
      };
    if (left === 'switched off')
      return { subject, outcome: 'skipped', because: `${hyperscalerType} is not switched on` };
    if (left.length > 0)
      return { subject, outcome: dryRun ? 'candidate' : 'being cleaned', because: left.join(', ') };
    if (dryRun) return { subject, outcome: 'candidate', because: 'it is clean' };
    await services.clients.accounts.giveBack(subject, signal);
    return { subject, outcome: 'given back' };
  } catch (error) {
    signal.throwIfAborted();
    log.warn({ err: error, account: subject }, 'could not clean an account');
    return { subject, outcome: 'failed', because: error instanceof Error ? error.message : '' };
  }
}

/** Begins to delete what is in the account. Gives what is still there: it is given back when a later run finds nothing. */
type Cleaner = (
  context: JobContext,
  account: ReleasedAccount,
) => Promise<readonly string[] | 'switched off'>;

const cleaners: Readonly<Record<string, Cleaner>> = {
  async azure({ services: { clients }, dryRun, signal }, { secretName }) {
    if (!clients.azure) return 'switched off';
    const credentials = await clients.azureAccount(secretName, signal);
    if (!credentials) throw new Error(`there is no Secret ${secretName} that opens the account`);
    const subscription = clients.azure.subscription(credentials);
    const groups = await subscription.allGroups(signal);
    if (!dryRun)
      for (const { name, state } of groups)
        if (state !== 'Deleting') await subscription.deleteGroup(name, signal);
    return groups.map(({ name }) => `resource group ${name}`);
  },
  // Disks and addresses go with a cluster there.
  gcp: async () => [],
};
