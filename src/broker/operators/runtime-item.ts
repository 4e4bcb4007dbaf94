import type { Explanation } from '#engine';
import { runtimeStateOf, type RuntimeState } from './runtime-state.ts';
import type { BriefOperation, RemovedRuntime, RuntimeRow } from './runtimes-table.ts';

export type RuntimeOptions = {
  readonly opDetail: 'all' | 'last';
  readonly kymaConfig: boolean;
  readonly clusterConfig: boolean;
  readonly serviceName: string;
};

/** A runtime as lists show it. `operations`: of this one, oldest first; `totals`: how many there are of each type. */
export function runtimeItem(
  row: RuntimeRow,
  operations: readonly BriefOperation[],
  totals: ReadonlyMap<string, number>,
  explanation: Explanation | undefined,
  { opDetail, kymaConfig, clusterConfig, serviceName }: RuntimeOptions,
) {
  const last = operations.at(-1);
  const kymaVersion = row.details.kymaVersion ?? versionOf(operations);
  return {
    instanceID: row.id,
    runtimeID: row.runtime_id ?? '',
    globalAccountID: row.global_account,
    subscriptionGlobalAccountID: row.subscription_account ?? '',
    subAccountID: row.subaccount,
    region: row.region,
    subAccountRegion: row.platform_region,
    shootName: row.shoot_name,
    serviceClassID: row.service_id,
    serviceClassName: serviceName,
    servicePlanID: row.plan_id,
    servicePlanName: row.plan_name,
    provider: providers[row.provider] ?? row.provider,
    userID: row.user_id ?? '',
    name: row.name ?? '',
    dashboardURL: row.dashboard_url,
    ...(row.details.avsInternalId !== undefined && {
      avsInternalEvaluationID: Number(row.details.avsInternalId),
    }),
    ...(kymaVersion !== undefined && { kymaVersion }),
    ...(kymaConfig && { kymaConfig: { version: kymaVersion ?? '', ...row.details.kyma } }),
    ...(clusterConfig && { clusterConfig: clusterConfigOf(row) }),
    status: {
      createdAt: row.created_at,
      modifiedAt: last?.updated_at ?? row.updated_at,
      ...(row.expired_at && { expiredAt: row.expired_at }),
      ...(row.deleted_at && { deletedAt: row.deleted_at }),
      state: stateOf(operations),
      ...(opDetail === 'last' ? lastOnly(operations, last) : everyOperation(operations, totals)),
      ...(explanation && { explanation }),
    },
  };
}

const providers: Readonly<Record<string, string>> = {
  azure: 'Azure',
  aws: 'AWS',
  gcp: 'GCP',
  openstack: 'OpenStack',
};

/** The name is the runtime's, and the rest of what was ordered is about its cluster. */
function clusterConfigOf({ parameters: { name: _name, ...ordered }, ...row }: RuntimeRow) {
  return { ...ordered, name: row.shoot_name, provider: row.provider, region: row.region };
}

const isSuspension = ({ type, temporary }: BriefOperation) => type === 'deprovision' && temporary;

function stateOf(operations: readonly BriefOperation[]): RuntimeState {
  const asLast = (each: BriefOperation | undefined) =>
    each && { type: each.type, state: each.state, isSuspension: isSuspension(each) };
  const suspended = operations.findLast(isSuspension);
  const isUndone = operations.some(
    ({ type, number }) =>
      type === 'provision' && suspended && BigInt(number) > BigInt(suspended.number),
  );
  const isHidden = suspended?.state === 'pending' || suspended?.state === 'canceled';
  return runtimeStateOf(
    asLast(operations.at(-1)),
    isUndone || isHidden ? undefined : asLast(suspended),
  );
}

/** Of the last provisioning, or of a newer upgrade that came about. */
const versionOf = (operations: readonly BriefOperation[]) =>
  operations.findLast(
    ({ type, state, dry_run, kyma_version, cancel_because }) =>
      kyma_version !== null &&
      (type === 'provision' ||
        (type === 'upgradeKyma' && !dry_run && state !== 'pending' && cancel_because === null)),
  )?.kyma_version ?? undefined;

const operationItem = (each: BriefOperation) => ({
  state: each.state === 'in progress' && each.cancel_because !== null ? 'canceling' : each.state,
  type: each.type,
  description: each.description,
  createdAt: each.created_at,
  updatedAt: each.updated_at,
  operationID: each.id,
  ...(each.orchestration_id !== null && { orchestrationID: each.orchestration_id }),
  finishedStages: each.finished_stages,
  ...(each.not_completed.length > 0 && { executedButNotCompletedSteps: each.not_completed }),
  runtimeVersion: each.kyma_version ?? '',
});

const list = (all: readonly BriefOperation[], total = all.length) => ({
  data: all.map(operationItem),
  totalCount: total,
  count: all.length,
});

const keys = {
  update: 'update',
  upgradeKyma: 'upgradingKyma',
  upgradeCluster: 'upgradingCluster',
} as const;

function everyOperation(
  operations: readonly BriefOperation[],
  totals: ReadonlyMap<string, number>,
) {
  const shown = operations.filter(
    ({ type, state }) => !(type === 'deprovision' && state === 'pending'),
  );
  const [provisioning, ...unsuspensions] = shown.filter(({ type }) => type === 'provision');
  const suspensions = shown.filter(isSuspension);
  const deprovisioning = shown.findLast((each) => each.type === 'deprovision' && !each.temporary);
  const lastTwo = Object.entries(keys).flatMap(([type, key]) => {
    const all = shown.filter((each) => each.type === type && !each.dry_run).toReversed();
    if (all.length === 0) return [];
    return [[key, list(all.slice(0, 2), Math.max(all.length, totals.get(type) ?? 0))] as const];
  });
  return {
    ...(provisioning && { provisioning: operationItem(provisioning) }),
    ...(deprovisioning && { deprovisioning: operationItem(deprovisioning) }),
    ...Object.fromEntries(lastTwo),
    ...(suspensions.length > 0 && { suspension: list(suspensions) }),
    ...(unsuspensions.length > 0 && { unsuspension: list(unsuspensions) }),
  };
}

function lastOnly(operations: readonly BriefOperation[], last: BriefOperation | undefined) {
  if (!last) return {};
  switch (last.type) {
    case 'provision': {
      const isFirst = operations.find(({ type }) => type === 'provision') === last;
      return isFirst ? { provisioning: operationItem(last) } : { unsuspension: list([last]) };
    }
    case 'deprovision':
      return last.temporary
        ? { suspension: list([last]) }
        : { deprovisioning: operationItem(last) };
    default:
      return { [keys[last.type as keyof typeof keys]]: list([last]) }; // no other type was read
  }
}

/** What is known of one that is gone. */
export const removedItem = (row: RemovedRuntime, serviceName: string) => ({
  instanceID: row.id,
  runtimeID: row.last_runtime_id ?? '',
  globalAccountID: row.global_account,
  subscriptionGlobalAccountID: row.subscription_account ?? '',
  subAccountID: row.subaccount,
  region: row.region,
  subAccountRegion: row.subaccount_region,
  shootName: row.shoot_name,
  serviceClassName: serviceName,
  servicePlanID: row.plan_id,
  servicePlanName: row.plan_name,
  provider: providers[row.provider] ?? row.provider,
  userID: '',
  name: '',
  status: {
    createdAt: row.created_at ?? row.removed_at,
    modifiedAt: row.removed_at,
    deletedAt: row.removed_at,
    state: 'deprovisioned',
  },
});
