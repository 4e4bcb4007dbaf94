import { paintedState, type Paint } from './output/colours.ts';
import type { Column } from './output/table.ts';
import { timeText } from './output/times.ts';
import type { Runtime, RuntimeOperation, RuntimeStatus } from './service/shapes.ts';

const euRegions = ['cf-eu11', 'cf-ch20'];

export const hasEuAccess = ({ subAccountRegion = '' }: Runtime): boolean =>
  euRegions.includes(subAccountRegion);

export const runtimeColumns = (
  colour: Paint,
  more: { readonly withVersion?: boolean; readonly withSubscription?: boolean } = {},
): Column<Runtime>[] => [
  { header: 'GLOBALACCOUNT ID', value: ({ globalAccountID }) => globalAccountID },
  ...(more.withSubscription ? [subscription] : []),
  { header: 'SUBACCOUNT ID', value: ({ subAccountID }) => subAccountID },
  { header: 'SHOOT', value: ({ shootName = '' }) => shootName },
  { header: 'REGION', value: ({ region = '' }) => region },
  { header: 'PLAN', value: ({ servicePlanName }) => servicePlanName, least: 6 },
  { header: 'CREATED AT', value: ({ status }) => timeText(status.createdAt), least: 19 },
  {
    header: 'STATE',
    value: ({ status }) => stateText(status),
    least: 12,
    colour: (text) => paintedState(text, colour),
  },
  { header: 'EU ACCESS', value: (runtime) => (hasEuAccess(runtime) ? 'Yes' : 'No') },
  {
    header: 'KYMA VERSION',
    value: ({ kymaVersion = '' }) => kymaVersion,
    isWide: !more.withVersion,
  },
  { header: 'NAME', value: ({ name = '' }) => name, isWide: true },
  { header: 'INSTANCE ID', value: ({ instanceID }) => instanceID, isWide: true },
  { header: 'RUNTIME ID', value: ({ runtimeID = '' }) => runtimeID, isWide: true },
  { header: 'DOING', value: ({ status }) => status.explanation?.summary ?? '', isWide: true },
];

const subscription: Column<Runtime & { readonly subscriptionGlobalAccountID?: string }> = {
  header: 'SUBSCRIPTION GLOBALACCOUNT ID',
  value: ({ subscriptionGlobalAccountID = '' }) => subscriptionGlobalAccountID,
};

const kinds = {
  provisioning: 'provision',
  deprovisioning: 'deprovision',
  upgradingKyma: 'kyma upgrade',
  upgradingCluster: 'cluster upgrade',
  update: 'update',
  suspension: 'suspension',
  unsuspension: 'unsuspension',
} as const;

type Kind = keyof typeof kinds;
export type KindOfOperation = (typeof kinds)[Kind];

/** Every operation that the answer holds, the newest first. */
export function operationsIn(
  status: RuntimeStatus,
): (RuntimeOperation & { kind: KindOfOperation })[] {
  return (Object.keys(kinds) as Kind[]) // keys of the table above
    .flatMap((key) => {
      const found = status[key];
      const all = found === undefined ? [] : 'data' in found ? (found.data ?? []) : [found];
      return all.map((operation) => ({ ...operation, kind: kinds[key] }));
    })
    .toSorted((a, b) => b.createdAt.localeCompare(a.createdAt));
}

/** `failed` and `error` name the operation that did it. */
export function stateText(status: RuntimeStatus): string {
  const { state } = status;
  if (state !== 'failed' && state !== 'error') return state;
  const last = operationsIn(status).find(({ state: ended }) => ended === 'failed');
  return last ? `${state} (${last.kind})` : state;
}
