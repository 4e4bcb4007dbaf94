import { useEffect } from 'preact/hooks';
import type { Operation } from '../api-types.ts';
import { useAnswer } from '../api/use-loaded.ts';
import type { PageProps } from '../page-props.ts';
import { Problem, Skeleton } from '../parts/notices.tsx';
import { Page } from '../parts/page.tsx';
import { navigate } from '../routing/route.ts';
import { OperationDetail } from './operation-detail.tsx';

const ofRuntimes = ['provision', 'deprovision', 'update', 'upgradeKyma', 'upgradeCluster'];

/** For links that know nothing but the operation: it is shown with its runtime, if it has one. */
export function OperationPage({ parameters: { operationId = '' } }: PageProps) {
  const { data, error, reload } = useAnswer<Operation>(
    `/operations/${encodeURIComponent(operationId)}`,
  );
  const runtimeOf = data && ofRuntimes.includes(data.type) ? data.instanceID : undefined;
  useEffect(() => {
    if (runtimeOf !== undefined)
      navigate(`/ui/runtimes/${encodeURIComponent(runtimeOf)}?operation=${operationId}`, 'replace');
  }, [runtimeOf]);
  return (
    <Page title="Operation">
      {error && <Problem error={error} retry={reload} />}
      {!data && !error && <Skeleton />}
      {data && runtimeOf === undefined && <OperationDetail id={operationId} onChanged={reload} />}
    </Page>
  );
}
