import { createHash } from 'node:crypto';
import { runtimeIdOf, type Shoot } from '#clients';
import { inWords, type Milliseconds } from '#time';
import { startDeprovisioning } from '../start-deprovisioning.ts';
import { unlessUnknown } from '../steps/runtime-of.ts';
import { ofRuntime } from './candidates.ts';
import type { Entry, Job, JobContext, JobSettings } from './job.ts';

export type EnvironmentsCleanupSettings = JobSettings & {
  readonly labelSelector: string;
  readonly maxAge: Milliseconds;
  /** Where everything may be thrown away after a while; the domain of this landscape must be it, or below it. */
  readonly devDomain?: string | undefined;
};

/** For landscapes in which people try things out, and leave clusters behind that cost money. */
export const environmentsCleanup = (
  settings: EnvironmentsCleanupSettings,
  domain: string,
): Job => ({
  name: 'environments-cleanup',
  about: 'Removes every cluster of a development landscape that is older than allowed',
  settings,
  shown: { labelSelector: settings.labelSelector, maxAge: inWords(settings.maxAge) },
  cannotRun: isDevelopment(domain, settings.devDomain)
    ? undefined
    : `the domain ${domain} is not that of a development landscape: ENVIRONMENTS_CLEANUP_DEV_DOMAIN is ${settings.devDomain ?? 'not set'}`,
  async run(context) {
    const { services, signal, now } = context;
    const shoots = await services.clients.shoots.list(signal, settings.labelSelector);
    const old = shoots
      .filter((shoot) => isOld(shoot, now.getTime() - settings.maxAge))
      .toSorted((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1));
    for (const shoot of old) {
      const { name } = shoot.metadata;
      if (context.after !== undefined && name <= context.after) continue;
      if (context.isEnough()) return 'more';
      await remove(context, shoot);
    }
    return 'through';
  },
});

const isDevelopment = (domain: string, dev: string | undefined) =>
  dev !== undefined && (domain === dev || domain.endsWith(`.${dev}`));

const isOld = ({ metadata }: Shoot, before: number) =>
  metadata.deletionTimestamp === undefined &&
  metadata.creationTimestamp !== undefined &&
  Date.parse(metadata.creationTimestamp) < before;

async function remove(context: JobContext, shoot: Shoot): Promise<void> {
  const { services, dryRun } = context;
  const { name, labels = {} } = shoot.metadata;
  const runtimeId = runtimeIdOf(shoot);
  const account = labels['account'];
  const isOurs = runtimeId !== undefined && account !== undefined;
  const instanceId = isOurs ? await ofRuntime(services.database.pool, runtimeId) : undefined;
  if (instanceId !== undefined) {
    await context.each(name, async (db) => {
      if (dryRun) return { subject: name, outcome: 'candidate', because: `instance ${instanceId}` };
      const operation = await startDeprovisioning(services, { instanceId }, db);
      return operation && { subject: name, outcome: 'accepted', because: `instance ${instanceId}` };
    });
    return;
  }
  const kind = isOurs ? `runtime ${runtimeId} of no instance` : 'a shoot without a runtime';
  if (dryRun)
    return context.each(name, async () => ({ subject: name, outcome: 'candidate', because: kind }));
  const entry = await outOfHouse(context, shoot, isOurs ? { runtimeId, account } : undefined, kind);
  await context.each(name, async () => entry);
}

/** What the broker knows nothing of. Asked for before it is on record: to ask again is as good. */
async function outOfHouse(
  { services: { clients }, runId, signal, log }: JobContext,
  { metadata: { name } }: Shoot,
  runtime: { readonly runtimeId: string; readonly account: string } | undefined,
  because: string,
): Promise<Entry> {
  try {
    if (runtime) {
      const caller = { tenant: runtime.account, operationId: keyOf(runId, runtime.runtimeId) };
      await unlessUnknown(
        clients.provisioner.deprovisionRuntime(caller, runtime.runtimeId, signal),
      );
    } else await clients.shoots.delete(name, {}, signal);
    return { subject: name, outcome: 'accepted', because };
  } catch (error) {
    signal.throwIfAborted();
    log.warn({ err: error, shoot: name }, 'could not remove a cluster');
    return {
      subject: name,
      outcome: 'failed',
      because: error instanceof Error ? error.message : because,
    };
  }
}

/** The same for the same run: the provisioner recognises a request by it. */
const keyOf = (runId: string, runtimeId: string) =>
  createHash('sha256')
    .update(`${runId} ${runtimeId}`)
    .digest('hex')
    .replace(/^(.{8})(.{4})(.{4})(.{4})(.{12}).*$/, '$1-$2-$3-$4-$5');
