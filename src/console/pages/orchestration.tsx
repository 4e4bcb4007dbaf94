import { useState } from 'preact/hooks';
import type {
  Orchestration,
  OrchestrationOperation,
  Page as PageOf,
  WaveReport,
} from '../api-types.ts';
import { useStream } from '../api/follow.ts';
import { call } from '../api/request.ts';
import { useAnswer, useThrottled } from '../api/use-loaded.ts';
import type { PageProps } from '../page-props.ts';
import { Meter } from '../parts/charts.tsx';
import { counted } from '../parts/counted.ts';
import { Dialog } from '../parts/dialog.tsx';
import { Moment } from '../parts/moment.tsx';
import { Empty, Problem, Skeleton } from '../parts/notices.tsx';
import { Facts, Page } from '../parts/page.tsx';
import { Pager } from '../parts/pager.tsx';
import { StateBadge } from '../parts/state-badge.tsx';
import { search } from '../routing/route.ts';
import { can } from '../session/rights.ts';
import { partsOf } from './orchestrations.tsx';

const pageSize = 50;
const ended = ['succeeded', 'failed', 'canceled'];

type Steering = 'pause' | 'resume' | 'cancel' | 'retry';
const questions: Readonly<Record<Steering, readonly [title: string, text: string]>> = {
  pause: ['Pause this orchestration?', 'What has begun goes on; nothing new begins.'],
  resume: ['Go on with this orchestration?', 'It goes on where it was paused.'],
  cancel: ['Cancel this orchestration?', 'What has begun goes on; what has not is left as it is.'],
  retry: ['Retry what has failed?', 'Every failed upgrade of this orchestration is tried again.'],
};

export function OrchestrationPage({ parameters: { orchestrationId = '' } }: PageProps) {
  const path = `/orchestrations/${encodeURIComponent(orchestrationId)}`;
  const { data, error, reload } = useAnswer<Orchestration>(path);
  const operations = useAnswer<PageOf<OrchestrationOperation>>(`${path}/operations`, {
    page: search.value.get('page') ?? undefined,
    page_size: pageSize,
  });
  const [steering, setSteering] = useState<Steering>();
  const reloadAll = () => {
    reload();
    operations.reload();
  };
  const onNews = useThrottled(reloadAll, 1_000);
  const isOpen = data && !ended.includes(data.state);
  useStream(isOpen ? `${path}/stream` : undefined, onNews);
  return (
    <Page
      title={data?.type ?? 'Orchestration'}
      above={<a href="/ui/orchestrations">Orchestrations</a>}
      actions={
        data &&
        can('steer orchestrations') && <Actions orchestration={data} onChoose={setSteering} />
      }
    >
      {error && <Problem error={error} retry={reload} />}
      {!data && !error && <Skeleton rows={4} />}
      {data && <Progress orchestration={data} />}
      {steering && (
        <SteerDialog
          path={path}
          steering={steering}
          onClose={() => setSteering(undefined)}
          onDone={reloadAll}
        />
      )}
      <section class="card">
        <h2>Upgrades</h2>
        {operations.error && <Problem error={operations.error} retry={operations.reload} />}
        {!operations.data && !operations.error && <Skeleton rows={6} />}
        {operations.data && <Upgrades page={operations.data} />}
      </section>
    </Page>
  );
}

function Actions({
  orchestration: { state, progress },
  onChoose,
}: {
  readonly orchestration: Orchestration;
  readonly onChoose: (steering: Steering) => void;
}) {
  const isOpen = !ended.includes(state);
  const offered: Readonly<Record<Steering, boolean>> = {
    pause: isOpen && state !== 'paused' && state !== 'canceling',
    resume: state === 'paused',
    cancel: isOpen && state !== 'canceling',
    retry: (progress?.failed ?? 0) > 0 && state !== 'canceled' && state !== 'canceling',
  };
  const labels = { pause: 'Pause', resume: 'Resume', cancel: 'Cancel', retry: 'Retry failed' };
  return (
    <>
      {(Object.keys(offered) as Steering[])
        .filter((each) => offered[each])
        .map((each) => (
          <button
            key={each}
            type="button"
            class={each === 'cancel' ? 'danger' : ''}
            onClick={() => onChoose(each)}
          >
            {labels[each]}
          </button>
        ))}
    </>
  );
}

function SteerDialog({
  path,
  steering,
  onClose,
  onDone,
}: {
  readonly path: string;
  readonly steering: Steering;
  readonly onClose: () => void;
  readonly onDone: () => void;
}) {
  const [error, setError] = useState<Error>();
  const [title, text] = questions[steering];
  const steer = async () => {
    try {
      if (steering === 'retry')
        await call('POST', `${path}/retry`, { body: new URLSearchParams() });
      else await call('PUT', `${path}/${steering}`);
      onDone();
      onClose();
    } catch (failure) {
      setError(failure instanceof Error ? failure : new Error(String(failure)));
    }
  };
  return (
    <Dialog title={title} onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void steer();
        }}
      >
        <p>{text}</p>
        {error && <Problem error={error} />}
        <div class="row">
          <button type="button" onClick={onClose}>
            Close
          </button>
          <button type="submit" class="primary">
            Do it
          </button>
        </div>
      </form>
    </Dialog>
  );
}

function Progress({ orchestration }: { readonly orchestration: Orchestration }) {
  const { progress, parameters, state } = orchestration;
  const total = progress?.total ?? 0;
  const budget = parameters?.strategy?.errorBudget;
  const allowed =
    budget?.failures ??
    (budget?.percent === undefined ? undefined : Math.floor((total * budget.percent) / 100));
  return (
    <section class="card" aria-label="Progress">
      {orchestration.pausedBecause && (
        <div class="notice warn" role="status">
          <strong>Paused</strong>
          <div>{orchestration.pausedBecause}</div>
        </div>
      )}
      <Facts
        of={[
          ['State', <StateBadge key="state" state={state} />],
          ['Says', orchestration.description],
          ['Runtimes', total],
          [
            'Wave',
            progress?.wave === undefined ? undefined : `${progress.wave} of ${progress.waves}`,
          ],
          [
            'Error budget',
            allowed === undefined ? 'none' : `${progress?.failed ?? 0} of ${allowed} failures used`,
          ],
          ['Created', <Moment key="created" at={orchestration.createdAt} />],
          ['Changed', <Moment key="changed" at={orchestration.updatedAt} />],
          ['Dry run', parameters?.dryRun ? 'yes: nothing is changed' : 'no'],
        ]}
      />
      <p>
        {progress
          ? `${progress.succeeded} succeeded, ${progress.failed} failed, ${progress.inProgress} in progress, ${progress.pending} pending, ${progress.canceled} canceled`
          : ''}
      </p>
      <Meter parts={partsOf(orchestration)} total={total} />
      {(orchestration.report?.waves.length ?? 0) > 1 && (
        <Waves waves={orchestration.report?.waves ?? []} current={progress?.wave} />
      )}
      <Failures orchestration={orchestration} />
    </section>
  );
}

const Waves = ({
  waves,
  current,
}: {
  readonly waves: readonly WaveReport[];
  readonly current: number | undefined;
}) => (
  <ol class="waves" aria-label="Waves">
    {waves.map(({ wave, total, succeeded, failed, inProgress, canceled }) => (
      <li key={wave} aria-current={wave === current ? 'step' : undefined}>
        <span>
          Wave {wave}: {succeeded + failed + canceled} of {total}
        </span>
        <Meter parts={{ succeeded, failed, 'in progress': inProgress, canceled }} total={total} />
      </li>
    ))}
  </ol>
);

function Failures({ orchestration: { report } }: { readonly orchestration: Orchestration }) {
  if (!report || report.failures.length === 0) return null;
  return (
    <>
      <h2>What has failed</h2>
      {report.failures.map(({ fingerprint, step, system, message, count, runtimes }) => (
        <details class="disclosure" key={fingerprint}>
          <summary>
            {count} × {[step, system].filter(Boolean).join(', ')}: {message}
          </summary>
          {runtimes.map((id) => (
            <div key={id}>
              <a class="id" href={`/ui/runtimes/${encodeURIComponent(id)}`}>
                {id}
              </a>
            </div>
          ))}
        </details>
      ))}
    </>
  );
}

function Upgrades({ page }: { readonly page: PageOf<OrchestrationOperation> }) {
  if (page.data.length === 0)
    return <Empty title="No upgrade yet">They appear when the orchestration begins.</Empty>;
  return (
    <>
      <table class="list">
        <thead>
          <tr>
            <th scope="col">Runtime</th>
            <th scope="col">State</th>
            <th scope="col">Plan</th>
            <th scope="col">Account</th>
          </tr>
        </thead>
        <tbody>
          {page.data.map((each) => (
            <tr key={each.operationID}>
              <th scope="row">
                <a href={`/ui/operations/${each.operationID}`}>
                  {each.shootName ?? each.runtimeID ?? each.operationID}
                </a>
              </th>
              <td data-label="State">
                <StateBadge state={each.state} />
                <div class="why">{each.description}</div>
              </td>
              <td data-label="Plan">{each.servicePlanName ?? '–'}</td>
              <td data-label="Account">{each.globalAccountID ?? '–'}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <div class="below-table">
        <span class="muted">{counted(page.totalCount, 'upgrade')}</span>
        <Pager totalCount={page.totalCount} pageSize={pageSize} />
      </div>
    </>
  );
}
