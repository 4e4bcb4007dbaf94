import { useEffect } from 'preact/hooks';
import { useAnswer } from '../api/use-loaded.ts';
import { Problem, Skeleton } from '../parts/notices.tsx';
import { Facts, Page } from '../parts/page.tsx';
import { StateBadge } from '../parts/state-badge.tsx';

type LastOperation = { readonly state: string; readonly description?: string };

/** What a customer sees of a runtime: how far the last operation is, as the platform would ask. */
export function OrderedRuntime({ instanceId }: { readonly instanceId: string }) {
  const path = `/oauth/v2/service_instances/${encodeURIComponent(instanceId)}/last_operation`;
  const { data, error, reload } = useAnswer<LastOperation>(path);
  const isOpen = data?.state === 'in progress';
  useEffect(() => {
    if (!isOpen) return;
    const timer = setInterval(reload, 3_000);
    return () => clearInterval(timer);
  }, [isOpen]);
  return (
    <Page title="Your runtime">
      {error && <Problem error={error} retry={reload} />}
      {!data && !error && <Skeleton rows={2} />}
      {data && (
        <section class="card">
          <Facts
            of={[
              ['State', <StateBadge key="state" state={data.state} />],
              ['What it does', data.description],
              [
                'Instance id',
                <span key="id" class="id">
                  {instanceId}
                </span>,
              ],
            ]}
          />
        </section>
      )}
    </Page>
  );
}
