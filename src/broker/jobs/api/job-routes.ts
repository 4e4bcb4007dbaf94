import { z } from 'zod';
import { SubjectBusy } from '#engine';
import type { Api } from '../../api/api.ts';
import { operators, route, type OperatorRoute } from '../../api/operator-route.ts';
import { paging } from '../../api/read-query.ts';
import { optionalBoolean } from '../../api/read-request.ts';
import { Refusal } from '../../errors.ts';
import type { Job } from '../job.ts';
import type { JobRun } from '../job-runs-table.ts';
import { expireRoute } from './expire-instance.ts';

const Entry = z.object({
  subject: z.string(),
  outcome: z.string(),
  because: z.string().optional(),
});
const Run = z.object({
  runID: z.string(),
  operationID: z.string(),
  job: z.string(),
  trigger: z.enum(['schedule', 'by hand']),
  by: z.string().optional(),
  dryRun: z.boolean(),
  state: z.enum(['in progress', 'succeeded', 'failed', 'canceled']),
  startedAt: z.string(),
  endedAt: z.string().optional(),
  summary: z.string(),
  counts: z.record(z.string(), z.number()),
  entries: z.array(Entry),
});
const ShownJob = z.object({
  name: z.string(),
  about: z.string(),
  schedule: z.string(),
  enabled: z.boolean(),
  dryRun: z.boolean(),
  cannotRun: z.string().optional(),
  lastRun: Run.optional(),
  nextRunAt: z.string().optional(),
  settings: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])),
});

export const jobRoutes = (api: Api): readonly OperatorRoute[] => [
  route({
    method: 'GET',
    path: '/jobs',
    right: operators,
    about: 'The jobs that keep the house clean, when each runs next, and how its last run went',
    answers: z.array(ShownJob),
    handle: async () => ({ status: 200, body: await listJobs(api) }),
  }),
  route({
    method: 'GET',
    path: '/jobs/:name/runs',
    right: operators,
    about: 'What came of the runs of a job, the newest first',
    query: z.strictObject(paging),
    answers: z.object({ data: z.array(Run), count: z.number(), totalCount: z.number() }),
    async handle({ params: { name = '' }, query }) {
      const { jobs, database } = api;
      const { name: job } = jobOf(api, name);
      await jobs.runs.settle(database.pool);
      const page = { page: query.page, size: query.page_size };
      const { runs, total } = await jobs.runs.list(database.pool, job, page);
      const data = runs.map(shownRun);
      return { status: 200, body: { data, count: data.length, totalCount: total } };
    },
  }),
  route({
    method: 'POST',
    path: '/jobs/:name/run',
    right: operators,
    about: 'Runs a job now; with dryRun it only says what it would do',
    body: z.strictObject({ dryRun: optionalBoolean }),
    answers: z.object({ runID: z.string(), operationID: z.string() }),
    async handle({ params: { name = '' }, body: { dryRun }, caller }) {
      const job = jobOf(api, name);
      if (job.cannotRun !== undefined)
        throw new Refusal('NOT_POSSIBLE_NOW', `the job ${name} cannot run: ${job.cannotRun}`);
      const id = await started(api, job, { dryRun, by: caller?.subject });
      return { status: 202, body: { runID: id, operationID: id } };
    },
  }),
  expireRoute(api),
];

function jobOf({ jobs }: Api, name: string): Job {
  const job = jobs.find(name);
  if (job) return job;
  const known = jobs.all.map((each) => each.name).join(', ');
  throw new Refusal('NOT_FOUND', `there is no job ${name} (known: ${known})`);
}

async function started(
  { jobs }: Api,
  job: Job,
  how: { readonly dryRun: boolean | undefined; readonly by: string | undefined },
): Promise<string> {
  try {
    return await jobs.start(job, how);
  } catch (error) {
    if (!(error instanceof SubjectBusy)) throw error;
    const message = `the job ${job.name} is running: it runs once at a time`;
    throw new Refusal('NOT_POSSIBLE_NOW', message, { cause: error });
  }
}

async function listJobs({ jobs, database: { pool } }: Api) {
  await jobs.runs.settle(pool);
  const last = new Map((await jobs.runs.newest(pool)).map((run) => [run.job, run]));
  const due = new Map((await jobs.schedules.all(pool)).map((each) => [each.job, each.next_due_at]));
  return jobs.all.map(({ name, about, settings, shown = {}, cannotRun }) => {
    const { schedule, enabled, dryRun } = settings;
    const lastRun = last.get(name);
    const nextRunAt = enabled ? due.get(name)?.toISOString() : undefined;
    return {
      name,
      about,
      schedule,
      enabled,
      dryRun,
      ...(cannotRun !== undefined && { cannotRun }),
      ...(lastRun && { lastRun: shownRun(lastRun) }),
      ...(nextRunAt !== undefined && { nextRunAt }),
      settings: shown,
    };
  });
}

const shownRun = (run: JobRun) => ({
  runID: run.id,
  operationID: run.id,
  job: run.job,
  trigger: run.trigger,
  ...(run.started_by !== null && { by: run.started_by }),
  dryRun: run.dry_run,
  state: run.state,
  startedAt: run.started_at.toISOString(),
  ...(run.ended_at && { endedAt: run.ended_at.toISOString() }),
  summary: run.summary,
  counts: run.counts,
  entries: run.entries,
});
