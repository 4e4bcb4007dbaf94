import type { AwsVolume, ReleasedAccount } from '#clients';
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
type Cleaner = (context: JobContext, account: ReleasedAccount) => Promise<readonly string[]>;

const cleaners: Readonly<Record<string, Cleaner>> = {
  async azure({ services: { clients }, dryRun, signal }, { secretName }) {
    const credentials = await clients.azureAccount(secretName, signal);
    if (!credentials) throw new Error(`there is no Secret ${secretName} that opens the account`);
    const subscription = clients.azure.subscription(credentials);
    const groups = await subscription.allGroups(signal);
    if (!dryRun)
      for (const { name, state } of groups)
        if (state !== 'Deleting') await subscription.deleteGroup(name, signal);
    return groups.map(({ name }) => `resource group ${name}`);
  },
  async aws({ services: { clients }, dryRun, signal }, { secretName }) {
    const credentials = await clients.awsAccount(secretName, signal);
    if (!credentials) throw new Error(`there is no Secret ${secretName} that opens the account`);
    const ec2 = clients.aws.ec2(credentials);
    const volumes: (AwsVolume & { readonly region: string })[] = [];
    for (const region of await ec2.regions(signal))
      for (const volume of await ec2.volumes(region, signal)) volumes.push({ ...volume, region });
    // Somebody's machine runs there, so the account should not be in this list: nothing of it is touched.
    const used = volumes.find(({ state }) => state === 'in-use');
    if (used) throw new Error(`volume ${used.id} in ${used.region} is in use`);
    if (!dryRun)
      for (const { region, id, state } of volumes)
        if (state !== 'deleting') await ec2.deleteVolume(region, id, signal);
    return volumes.map(({ region, id }) => `volume ${id} in ${region}`);
  },
  // Nothing is deleted there: disks and addresses go with a cluster.
  gcp: async () => [],
};
