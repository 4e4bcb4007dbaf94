import { inTransaction, isConnectionError } from '#database';
import { finish, operation, wait, type Engine, type StepContext } from '#engine';
import { hours, minutes, seconds } from '#time';
import type { Services } from '../services.ts';
import type { Entry, Job, JobContext } from './job.ts';
import type { JobRunsTable } from './job-runs-table.ts';
import type { JobSchedulesTable } from './job-schedules-table.ts';

export type JobFacts = { readonly job: string; readonly dryRun: boolean };

export type RunsJobs = {
  readonly services: () => Services & { readonly engine: Engine };
  readonly runs: JobRunsTable;
  readonly schedules: JobSchedulesTable;
  /** Undefined for one that this version does not know any more. */
  readonly find: (name: string) => Job | undefined;
};

/** One share is over after so many subjects, or so long. */
const share = { subjects: 100, time: minutes(1) };

/** Whoever goes on with a run knows from its row how far it has come. */
export const runJob = (jobs: RunsJobs) =>
  operation<JobFacts>('job', { timeLimit: hours(24), input: ['job', 'dryRun'] }).stage('run', {
    name: 'Run_Job',
    about: 'Goes on with the job, subject by subject, where its run stands.',
    domain: 'Jobs',
    owner: 'Team Gopher',
    retry: { every: seconds(10), upTo: minutes(5), attempts: 12 },
    async run(step: StepContext<JobFacts>) {
      const { database } = jobs.services();
      const job = jobs.find(step.facts.job);
      if (!job) return finish(`there is no job ${step.facts.job} any more`);
      const progress = await goOn(jobs, job, step);
      if (progress === 'more') return wait(0, 'there is more to do');
      const run = await jobs.runs.get(database.pool, step.operation.id);
      return finish(summaryOf(run?.counts ?? {}, step.facts.dryRun));
    },
  });

async function goOn(
  { services, runs, schedules }: RunsJobs,
  job: Job,
  { operation: { id }, facts, signal, log }: StepContext<JobFacts>,
): Promise<'through' | 'more'> {
  const all = services();
  const { database } = all;
  let cursor = (await runs.get(database.pool, id))?.cursor ?? undefined;
  let subjects = 0;
  const startedAt = performance.now();

  const store = (next: string, work: Parameters<JobContext['each']>[1]) =>
    inTransaction(database, async (db) => {
      if (!(await runs.lockAt(db, id, cursor))) throw new GoesOnElsewhere(job.name);
      const entry = await work(db);
      await runs.advance(db, id, next, entry && storable(entry));
    });

  return job.run({
    runId: id,
    dryRun: facts.dryRun,
    get after() {
      return cursor;
    },
    now: await schedules.now(database.pool),
    services: all,
    signal,
    log,
    isEnough: () => subjects >= share.subjects || performance.now() - startedAt >= share.time,
    async each(next, work, subject = next) {
      signal.throwIfAborted();
      try {
        await store(next, work);
      } catch (error) {
        if (error instanceof GoesOnElsewhere || isConnectionError(error) || signal.aborted)
          throw error;
        log.warn({ err: error, subject }, 'a job could not do its work on a subject');
        const because = error instanceof Error ? error.message : String(error);
        await store(next, async () => ({ subject, outcome: 'failed', because }));
      }
      cursor = next;
      subjects += 1;
    },
  });
}

/** A replica that was taken for dead comes back: what it would store now is stored already. */
class GoesOnElsewhere extends Error {
  override readonly name = 'GoesOnElsewhere';
  readonly temporary = true;
  readonly reason = 'job_goes_on_elsewhere';

  constructor(job: string) {
    super(`another replica has gone on with the job ${job}`);
  }
}

/** PostgreSQL takes no NUL; and nobody reads more than this of a message. */
const storable = ({ because, ...entry }: Entry): Entry => ({
  ...entry,
  ...(because !== undefined && { because: because.replaceAll('\0', '').slice(0, 500) }),
});

function summaryOf(counts: Readonly<Record<string, number>>, dryRun: boolean): string {
  const told = Object.entries(counts).map(([outcome, count]) => `${count} ${outcome}`);
  return `${dryRun ? 'dry run: ' : ''}${told.join(', ') || 'nothing to do'}`;
}
