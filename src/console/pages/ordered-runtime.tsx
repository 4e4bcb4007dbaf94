import { useEffect, useState } from 'preact/hooks';
import type { FetchedInstance } from '../api-types.ts';
import { useAnswer } from '../api/use-loaded.ts';
import { Problem, Skeleton } from '../parts/notices.tsx';
import { Facts, Page } from '../parts/page.tsx';
import { StateBadge } from '../parts/state-badge.tsx';
import { search } from '../routing/route.ts';
import { DeleteRuntime } from './delete-runtime.tsx';

type LastOperation = { readonly state: string; readonly description?: string };

/** What a customer sees of a runtime: how far the last operation is, as the platform would ask, and what it became. */
export function OrderedRuntime({ instanceId }: { readonly instanceId: string }) {
  const path = `/oauth/v2/service_instances/${encodeURIComponent(instanceId)}`;
  const { data, error, reload } = useAnswer<LastOperation>(`${path}/last_operation`);
  const isOpen = data?.state === 'in progress';
  // Nobody is told of it while it is being made.
  const instance = useAnswer<FetchedInstance>(isOpen || !data ? undefined : path);
  const [isDeleting, setDeleting] = useState(false);
  useEffect(() => {
    if (!isOpen) return;
    const timer = setInterval(reload, 3_000);
    return () => clearInterval(timer);
  }, [isOpen]);
  // Of an order that came to nothing the broker tells nothing: the address still knows what was ordered.
  const told = (name: string) => search.value.get(name) ?? undefined;
  const serviceId = instance.data?.service_id ?? told('service_id');
  const planId = instance.data?.plan_id ?? told('plan_id');
  const name = instance.data?.parameters.parameters.name ?? told('name') ?? instanceId;
  return (
    <Page
      title="Your runtime"
      actions={
        <>
          {instance.data && (
            <a class="button" href={`/ui/runtimes/${encodeURIComponent(instanceId)}/update`}>
              Update
            </a>
          )}
          {!error && serviceId && planId && (
            <button type="button" class="danger" onClick={() => setDeleting(true)}>
              Delete
            </button>
          )}
        </>
      }
    >
      {error && <Problem error={error} retry={reload} />}
      {!data && !error && <Skeleton rows={2} />}
      {data && (
        <section class="card" aria-label="Facts">
          <Facts
            of={[
              ['Name', name],
              ['State', <StateBadge key="state" state={data.state} />],
              ['What it does', data.description],
              [
                'Instance id',
                <span key="id" class="id">
                  {instanceId}
                </span>,
              ],
              [
                'Dashboard',
                instance.data?.dashboard_url && (
                  <a href={instance.data.dashboard_url} target="_blank" rel="noreferrer">
                    Open
                  </a>
                ),
              ],
            ]}
          />
        </section>
      )}
      {isDeleting && serviceId && planId && (
        <DeleteRuntime
          instanceId={instanceId}
          name={name}
          serviceId={serviceId}
          planId={planId}
          onClose={() => setDeleting(false)}
          onDone={reload}
        />
      )}
    </Page>
  );
}
