import { useState } from 'preact/hooks';
import type { QueueStatistics, StateStatistics, StepStatistics } from '../api-types.ts';
import { useStream } from '../api/follow.ts';
import { useAnswer, useThrottled } from '../api/use-loaded.ts';
import { PercentileBar, StackedBars } from '../parts/charts.tsx';
import { Moment } from '../parts/moment.tsx';
import { Empty, Problem, Skeleton } from '../parts/notices.tsx';
import { Page } from '../parts/page.tsx';
import { inWords } from '../parts/time.ts';
import { search, withSearch } from '../routing/route.ts';
import { ErrorGroups } from './error-groups.tsx';

const ranges = { '24h': 'Day', '7d': 'Week', '30d': 'Month' } as const;
type Range = keyof typeof ranges;
const hours = { '24h': 24, '7d': 7 * 24, '30d': 30 * 24 };

export function FleetPage() {
  const given = search.value.get('range') ?? '24h';
  const range: Range = given in ranges ? (given as Range) : '24h';
  // To the full minute, so that the question stays the same while the page is drawn anew.
  const minute = Math.floor(Date.now() / 60_000) * 60_000;
  const since = new Date(minute - hours[range] * 3_600_000).toISOString();
  const states = useAnswer<StateStatistics>('/statistics/states', {
    since,
    bucket: range === '24h' ? 'hour' : 'day',
  });
  const queue = useAnswer<QueueStatistics>('/statistics/queue');
  const steps = useAnswer<StepStatistics[]>('/statistics/steps', { since });
  const reload = useThrottled(() => {
    states.reload();
    queue.reload();
  }, 5_000);
  useStream('/operations/stream', reload);
  return (
    <Page
      title="Fleet"
      actions={
        <div class="segments" role="group" aria-label="Time">
          {Object.entries(ranges).map(([value, label]) => (
            <a
              key={value}
              href={withSearch({ range: value })}
              aria-current={value === range ? 'true' : undefined}
            >
              {label}
            </a>
          ))}
        </div>
      }
    >
      {states.error && <Problem error={states.error} retry={states.reload} />}
      {states.data ? <Now now={states.data.now} /> : !states.error && <Skeleton rows={2} />}
      <section class="card">
        <h2>Operations over time</h2>
        {states.data ? (
          <OverTime states={states.data} since={since} bucket={range === '24h' ? 'hour' : 'day'} />
        ) : (
          <Skeleton rows={5} />
        )}
      </section>
      <ErrorGroups since={since} />
      <div class="columns">
        <section class="card">
          <h2>Queue and replicas</h2>
          {queue.error && <Problem error={queue.error} retry={queue.reload} />}
          {queue.data ? <Queue queue={queue.data} /> : !queue.error && <Skeleton rows={4} />}
        </section>
        <section class="card">
          <h2>Open operations</h2>
          {queue.data ? <Open queue={queue.data} /> : <Skeleton rows={4} />}
        </section>
      </div>
      <section class="card">
        <h2>How long steps take</h2>
        {steps.error && <Problem error={steps.error} retry={steps.reload} />}
        {steps.data ? <Steps steps={steps.data} /> : !steps.error && <Skeleton rows={8} />}
      </section>
    </Page>
  );
}

const tiles = [
  ['inProgress', 'in progress', ''],
  ['pending', 'pending', ''],
  ['waiting', 'waiting', ''],
  ['due', 'due now', ''],
  ['retrying', 'retrying', 'retrying'],
  ['stuck', 'stuck', 'stuck'],
] as const;

const Now = ({ now }: { readonly now: StateStatistics['now'] }) => (
  <div class="tiles">
    {tiles.map(([name, label, attention]) => {
      const count = now[name] ?? 0;
      const content = (
        <>
          <strong>{count.toLocaleString()}</strong>
          <span>{label}</span>
        </>
      );
      return attention === '' ? (
        <div key={name} class="tile">
          {content}
        </div>
      ) : (
        <a
          key={name}
          class={`tile ${count > 0 ? 'warn' : ''}`}
          href={`/ui/runtimes?attention=${attention}`}
        >
          {content}
        </a>
      );
    })}
  </div>
);

const sum = (counts: Readonly<Record<string, number>> | undefined) =>
  Object.values(counts ?? {}).reduce((total, each) => total + each, 0);

function OverTime({
  states,
  since,
  bucket,
}: {
  readonly states: StateStatistics;
  readonly since: string;
  readonly bucket: 'hour' | 'day';
}) {
  if (states.data.length === 0)
    return <Empty title="No operation began or ended in this time">Choose a longer one.</Empty>;
  const told = new Map(states.data.map((each) => [Date.parse(each.at), each]));
  const buckets = bucketsSince(since, bucket).map((at) => {
    const { succeeded, failed, canceled } = told.get(at) ?? {};
    return {
      at: new Date(at).toISOString(),
      counts: { succeeded: sum(succeeded), failed: sum(failed), canceled: sum(canceled) },
    };
  });
  const totals = ['succeeded', 'failed', 'canceled'] as const;
  const label = totals
    .map((name) => `${buckets.reduce((all, { counts }) => all + counts[name], 0)} ${name}`)
    .join(', ');
  return <StackedBars buckets={buckets} names={totals} label={`Ended operations: ${label}`} />;
}

/** Also those in which nothing happened: the broker leaves them out. They are hours and days of UTC. */
function bucketsSince(since: string, bucket: 'hour' | 'day'): number[] {
  const size = bucket === 'hour' ? 3_600_000 : 86_400_000;
  const first = Math.floor(Date.parse(since) / size) * size;
  return Array.from(
    { length: Math.floor((Date.now() - first) / size) + 1 },
    (_, index) => first + index * size,
  );
}

const lateness = (ms: number | null | undefined) =>
  ms === null || ms === undefined ? '–' : inWords(ms);

const Queue = ({ queue }: { readonly queue: QueueStatistics }) => (
  <>
    <p>
      {queue.due.toLocaleString()} due
      {queue.oldestDueSince && (
        <>
          , the oldest since <Moment at={queue.oldestDueSince} />
        </>
      )}
      . Woken late by {lateness(queue.latenessMs.p50)} (median), {lateness(queue.latenessMs.p99)}{' '}
      (p99).
    </p>
    <table class="list">
      <thead>
        <tr>
          <th scope="col">Replica</th>
          <th scope="col" class="number">
            Running
          </th>
          <th scope="col">Started</th>
          <th scope="col">Seen</th>
        </tr>
      </thead>
      <tbody>
        {queue.replicas.map(({ name, running, startedAt, heartbeatAt }) => (
          <tr key={name}>
            <th scope="row">{name}</th>
            <td class="number" data-label="Running">
              {running}
            </td>
            <td data-label="Started">
              <Moment at={startedAt} />
            </td>
            <td data-label="Seen">
              <Moment at={heartbeatAt} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  </>
);

function Open({ queue }: { readonly queue: QueueStatistics }) {
  if (queue.open.length === 0) return <Empty title="Everything has ended" />;
  return (
    <table class="list">
      <thead>
        <tr>
          <th scope="col">Type</th>
          <th scope="col">State</th>
          <th scope="col" class="number">
            Operations
          </th>
        </tr>
      </thead>
      <tbody>
        {queue.open.map(({ type, state, count }) => (
          <tr key={`${type} ${state}`}>
            <th scope="row">{type}</th>
            <td data-label="State">{state}</td>
            <td class="number" data-label="Operations">
              {count.toLocaleString()}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

const stepsAtFirst = 20;

function Steps({ steps }: { readonly steps: readonly StepStatistics[] }) {
  const [most, setMost] = useState(stepsAtFirst);
  if (steps.length === 0) return <Empty title="No step ran in this time" />;
  const slowest = steps.toSorted((one, other) => other.p99Ms - one.p99Ms).slice(0, most);
  return (
    <>
      <table class="list">
        <thead>
          <tr>
            <th scope="col">Step</th>
            <th scope="col">Operation</th>
            <th scope="col" class="number">
              Runs
            </th>
            <th scope="col" class="number">
              Failures
            </th>
            <th scope="col" class="number">
              p50
            </th>
            <th scope="col" class="number">
              p90
            </th>
            <th scope="col" class="number">
              p99
            </th>
            <th scope="col">1 ms to a day</th>
          </tr>
        </thead>
        <tbody>
          {slowest.map(({ type, stage, step, runs, failures, p50Ms, p90Ms, p99Ms }) => (
            <tr key={`${type} ${stage} ${step}`}>
              <th scope="row">{step}</th>
              <td data-label="Operation">{type}</td>
              <td class="number" data-label="Runs">
                {runs.toLocaleString()}
              </td>
              <td class="number" data-label="Failures">
                {failures.toLocaleString()}
              </td>
              <td class="number" data-label="p50">
                {inWords(p50Ms)}
              </td>
              <td class="number" data-label="p90">
                {inWords(p90Ms)}
              </td>
              <td class="number" data-label="p99">
                {inWords(p99Ms)}
              </td>
              <td>
                <PercentileBar p50={p50Ms} p90={p90Ms} p99={p99Ms} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {steps.length > most && (
        <button type="button" onClick={() => setMost(most + 100)}>
          Show more of {steps.length.toLocaleString()}, the slowest first
        </button>
      )}
    </>
  );
}
