import type { Orchestration, Page as PageOf } from '../api-types.ts';
import { useStream } from '../api/follow.ts';
import { useAnswer, useThrottled } from '../api/use-loaded.ts';
import { Meter } from '../parts/charts.tsx';
import { counted } from '../parts/counted.ts';
import { Moment } from '../parts/moment.tsx';
import { Empty, Problem, Skeleton } from '../parts/notices.tsx';
import { Page } from '../parts/page.tsx';
import { Pager } from '../parts/pager.tsx';
import { StateBadge } from '../parts/state-badge.tsx';
import { search } from '../routing/route.ts';
import { can } from '../session/rights.ts';

const pageSize = 50;

export const partsOf = ({ progress }: Orchestration) => ({
  succeeded: progress?.succeeded ?? 0,
  failed: progress?.failed ?? 0,
  'in progress': progress?.inProgress ?? 0,
  canceled: progress?.canceled ?? 0,
});

export function OrchestrationsPage() {
  const { data, error, reload } = useAnswer<PageOf<Orchestration>>('/orchestrations', {
    page: search.value.get('page') ?? undefined,
    page_size: pageSize,
  });
  useStream('/operations/stream', useThrottled(reload, 3_000));
  return (
    <Page
      title="Orchestrations"
      actions={
        can('steer orchestrations') && (
          <a class="button primary" href="/ui/orchestrations/new">
            Upgrade many runtimes
          </a>
        )
      }
    >
      {error && <Problem error={error} retry={reload} />}
      {!data && !error && <Skeleton rows={8} />}
      {data && data.data.length === 0 && (
        <Empty title="No orchestration yet">
          An orchestration upgrades many runtimes, in waves, and stops by itself if too many fail.
        </Empty>
      )}
      {data && data.data.length > 0 && (
        <>
          <table class="list">
            <thead>
              <tr>
                <th scope="col">Orchestration</th>
                <th scope="col">State</th>
                <th scope="col">Progress</th>
                <th scope="col">Wave</th>
                <th scope="col">Created</th>
              </tr>
            </thead>
            <tbody>
              {data.data.map((each) => (
                <tr key={each.orchestrationID}>
                  <th scope="row">
                    <a href={`/ui/orchestrations/${each.orchestrationID}`}>{each.type}</a>
                    {each.parameters?.dryRun && <span class="badge calm">dry run</span>}
                    <div class="id">{each.orchestrationID}</div>
                  </th>
                  <td data-label="State">
                    <StateBadge state={each.state} />
                    <div class="why">{each.pausedBecause ?? each.description}</div>
                  </td>
                  <td data-label="Progress">
                    <Meter parts={partsOf(each)} total={each.progress?.total ?? 0} />
                  </td>
                  <td data-label="Wave">
                    {each.progress?.wave ?? '–'} / {each.progress?.waves ?? '–'}
                  </td>
                  <td data-label="Created">
                    <Moment at={each.createdAt} />
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
          <div class="below-table">
            <span class="muted">{counted(data.totalCount, 'orchestration')}</span>
            <Pager totalCount={data.totalCount} pageSize={pageSize} />
          </div>
        </>
      )}
    </Page>
  );
}
