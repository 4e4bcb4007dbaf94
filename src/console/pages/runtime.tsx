import { useState } from 'preact/hooks';
import type { Operation, Page as PageOf, Runtime } from '../api-types.ts';
import { useStream } from '../api/follow.ts';
import { ApiError } from '../api/request.ts';
import { useAnswer, useThrottled } from '../api/use-loaded.ts';
import type { PageProps } from '../page-props.ts';
import { Duration, Moment } from '../parts/moment.tsx';
import { Empty, Problem, Skeleton } from '../parts/notices.tsx';
import { Facts, Page } from '../parts/page.tsx';
import { StateBadge } from '../parts/state-badge.tsx';
import { search, withSearch } from '../routing/route.ts';
import { can } from '../session/rights.ts';
import { DeleteRuntime } from './delete-runtime.tsx';
import { Kubeconfig } from './kubeconfig.tsx';
import { OperationDetail } from './operation-detail.tsx';
import { OrderedRuntime } from './ordered-runtime.tsx';

export function RuntimePage({ parameters: { instanceId = '' } }: PageProps) {
  return can('see runtimes') ? (
    <SeenRuntime instanceId={instanceId} />
  ) : (
    <OrderedRuntime instanceId={instanceId} />
  );
}

function SeenRuntime({ instanceId }: { readonly instanceId: string }) {
  const path = `/runtimes/${encodeURIComponent(instanceId)}`;
  const runtime = useAnswer<Runtime>(path);
  const operations = useAnswer<PageOf<Operation>>(`${path}/operations`);
  const [isDeleting, setDeleting] = useState(false);
  const reload = () => {
    runtime.reload();
    operations.reload();
  };
  const onNews = useThrottled(reload, 1_000);
  useStream(`/operations/stream?instance_id=${encodeURIComponent(instanceId)}`, onNews);
  const isGone =
    runtime.error instanceof ApiError &&
    runtime.error.status === 404 &&
    operations.data !== undefined;
  const isThere = runtime.error === undefined;
  const list = operations.data?.data ?? [];
  const chosen = search.value.get('operation') ?? list[0]?.operationID;
  return (
    <Page
      title={runtime.data?.name || instanceId}
      above={<a href="/ui/runtimes">Runtimes</a>}
      actions={
        isThere && (
          <>
            <Kubeconfig instanceId={instanceId} />
            {can('order runtimes') && (
              <>
                <a class="button" href={`/ui${path}/update`}>
                  Update
                </a>
                <button type="button" class="danger" onClick={() => setDeleting(true)}>
                  Delete
                </button>
              </>
            )}
          </>
        )
      }
    >
      {isGone && (
        <Empty title="This runtime does not exist any more">
          What was done to it is still on record below.
        </Empty>
      )}
      {runtime.error && !isGone && <Problem error={runtime.error} retry={runtime.reload} />}
      {!runtime.data && !runtime.error && <Skeleton rows={4} />}
      {runtime.data && !isGone && <RuntimeFacts runtime={runtime.data} />}
      {isDeleting && runtime.data && (
        <DeleteRuntime
          instanceId={instanceId}
          name={runtime.data.name || instanceId}
          serviceId={runtime.data.serviceClassID}
          planId={runtime.data.servicePlanID}
          onClose={() => setDeleting(false)}
          onDone={reload}
        />
      )}
      {(isThere || isGone) && (
        <section class="card">
          <h2>Operations</h2>
          {operations.error && <Problem error={operations.error} retry={operations.reload} />}
          {!operations.data && !operations.error && <Skeleton rows={2} />}
          {operations.data && list.length === 0 && (
            <Empty title="Nothing has happened to this runtime yet" />
          )}
          <ul class="operations">
            {list.map((each) => (
              <OperationLink key={each.operationID} operation={each} chosen={chosen} />
            ))}
          </ul>
        </section>
      )}
      {chosen !== undefined && <OperationDetail key={chosen} id={chosen} onChanged={reload} />}
    </Page>
  );
}

function OperationLink({
  operation,
  chosen,
}: {
  readonly operation: Operation;
  readonly chosen: string | undefined;
}) {
  const { operationID, type, state, createdAt, startedAt, endedAt } = operation;
  return (
    <li>
      <a
        href={withSearch({ operation: operationID })}
        aria-current={operationID === chosen ? 'true' : undefined}
      >
        <strong>{type}</strong>
        <StateBadge state={state} />
        <Moment at={createdAt} />
        {startedAt === undefined ? <span /> : <Duration from={startedAt} to={endedAt} />}
      </a>
    </li>
  );
}

function RuntimeFacts({ runtime }: { readonly runtime: Runtime }) {
  const { status } = runtime;
  return (
    <section class="card" aria-label="Facts">
      <Facts
        of={[
          ['State', <StateBadge key="state" state={status.state} />],
          ['Plan', runtime.servicePlanName],
          ['Region', runtime.region],
          ['Provider', runtime.provider],
          ['Kyma', runtime.kymaVersion],
          ['Shoot', runtime.shootName],
          ['Global account', runtime.globalAccountID],
          ['Subaccount', runtime.subAccountID],
          ['Platform region', runtime.subAccountRegion],
          ['Ordered by', runtime.userID],
          ['Created', <Moment key="created" at={status.createdAt} />],
          ['Changed', <Moment key="changed" at={status.modifiedAt} />],
          [
            'Instance id',
            <span key="instance" class="id">
              {runtime.instanceID}
            </span>,
          ],
          [
            'Dashboard',
            runtime.dashboardURL && (
              <a href={runtime.dashboardURL} target="_blank" rel="noreferrer">
                Open
              </a>
            ),
          ],
          ['Runtime id', runtime.runtimeID && <span class="id">{runtime.runtimeID}</span>],
        ]}
      />
    </section>
  );
}
