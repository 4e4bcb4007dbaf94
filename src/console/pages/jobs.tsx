import { useEffect, useState } from 'preact/hooks';
import type { Job, JobRun, Page as PageOf } from '../api-types.ts';
import { useStream } from '../api/follow.ts';
import { send } from '../api/request.ts';
import { useAnswer, useThrottled } from '../api/use-loaded.ts';
import { Duration, Moment } from '../parts/moment.tsx';
import { Empty, Problem, Skeleton } from '../parts/notices.tsx';
import { Page } from '../parts/page.tsx';
import { StateBadge } from '../parts/state-badge.tsx';
import { search, withSearch } from '../routing/route.ts';

/** What runs by the clock, and what came of it. */
export function JobsPage() {
  const { data, error, reload } = useAnswer<Job[]>('/jobs');
  const [refusal, setRefusal] = useState<Error>();
  useStream('/operations/stream', useThrottled(reload, 2_000));
  const chosen = search.value.get('job');
  const run = async (name: string, dryRun: boolean) => {
    setRefusal(undefined);
    try {
      await send('POST', `/jobs/${encodeURIComponent(name)}/run`, { dryRun });
      reload();
    } catch (failure) {
      setRefusal(failure instanceof Error ? failure : new Error(String(failure)));
    }
  };
  return (
    <Page title="Jobs">
      {error && <Problem error={error} retry={reload} />}
      {refusal && <Problem error={refusal} />}
      {!data && !error && <Skeleton rows={8} />}
      {data && (
        <table class="list">
          <thead>
            <tr>
              <th scope="col">Job</th>
              <th scope="col">When</th>
              <th scope="col">Last run</th>
              <th scope="col">Next</th>
              <th scope="col">Run now</th>
            </tr>
          </thead>
          <tbody>
            {data.map((job) => (
              <JobRow key={job.name} job={job} onRun={(dryRun) => void run(job.name, dryRun)} />
            ))}
          </tbody>
        </table>
      )}
      {chosen !== null && (
        <Runs
          key={chosen}
          name={chosen}
          last={data?.find(({ name }) => name === chosen)?.lastRun}
        />
      )}
    </Page>
  );
}

function JobRow({ job, onRun }: { readonly job: Job; readonly onRun: (dryRun: boolean) => void }) {
  const { name, about, schedule, enabled, lastRun, nextRunAt } = job;
  return (
    <tr>
      <th scope="row">
        <a href={withSearch({ job: name })}>{name}</a>
        <div class="why">{about}</div>
      </th>
      <td data-label="When">
        <code>{schedule}</code>
        {!enabled && <div class="why">switched off</div>}
        {job.dryRun && <div class="why">a dry run, unless by hand</div>}
        {job.cannotRun && <div class="why">{job.cannotRun}</div>}
      </td>
      <td data-label="Last run">
        {lastRun ? (
          <>
            <StateBadge state={lastRun.state} /> <Moment at={lastRun.startedAt} />
            <div class="why">{lastRun.summary}</div>
          </>
        ) : (
          <span class="muted">never</span>
        )}
      </td>
      <td data-label="Next">
        <Moment at={nextRunAt} />
      </td>
      <td>
        <div class="row">
          <button
            type="button"
            aria-label={`Dry run of ${name}`}
            disabled={job.cannotRun !== undefined}
            onClick={() => onRun(true)}
          >
            Dry run
          </button>
          <button
            type="button"
            aria-label={`Run ${name}`}
            disabled={job.cannotRun !== undefined}
            onClick={() => onRun(false)}
          >
            Run
          </button>
        </div>
      </td>
    </tr>
  );
}

function Runs({ name, last }: { readonly name: string; readonly last: JobRun | undefined }) {
  const { data, error, reload } = useAnswer<PageOf<JobRun>>(
    `/jobs/${encodeURIComponent(name)}/runs`,
  );
  useEffect(reload, [last?.runID, last?.state, last?.summary]);
  return (
    <section class="card" aria-label={`Runs of ${name}`}>
      <h2>Runs of {name}</h2>
      {error && <Problem error={error} retry={reload} />}
      {!data && !error && <Skeleton rows={4} />}
      {data && data.data.length === 0 && <Empty title="It has not run yet" />}
      {data?.data.map((run) => (
        <details class="disclosure" key={run.runID}>
          <summary>
            <StateBadge state={run.state} /> <Moment at={run.startedAt} />, {run.trigger}
            {run.by && ` of ${run.by}`}
            {run.dryRun && ', dry run'}: {run.summary?.replace(/^dry run: /, '')} (
            <Duration from={run.startedAt} to={run.endedAt} />)
          </summary>
          {(run.entries ?? []).map(({ subject, outcome, because }) => (
            <div key={subject}>
              <span class="id">{subject}</span> {outcome}
              {because && `: ${because}`}
            </div>
          ))}
        </details>
      ))}
    </section>
  );
}
