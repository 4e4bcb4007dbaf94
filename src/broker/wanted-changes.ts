import { isDeepStrictEqual } from 'node:util';
import { Secret } from '#database';
import type { Instance, OrderContext } from './instance.ts';
import { isFilterDisabled } from './plans/cluster-access.ts';
import { mergedParameters } from './plans/merged-parameters.ts';
import type { UpdateParameters } from './plans/parse-parameters.ts';
import { changedInShoot } from './plans/shoot-update.ts';

/**
 * What an update is asked for. It stands in the operation, not in the instance: the instance says what is in force, and
 * gets this when its cluster has got it.
 */
export type WantedChanges = {
  /** Only if it is another one. */
  readonly plan?: { readonly id: string; readonly name: string };
  readonly parameters: UpdateParameters;
  readonly context: Partial<OrderContext>;
  /** Of `maintenance_info`: the versions that an instance of today would get. */
  readonly maintenanceVersion?: string;
};

/** Of operations that change an instance; others act on it as it is. */
export type Wishing = { readonly wanted?: WantedChanges };

/** The instance as it shall be. */
export function withChanges(instance: Instance, wanted: WantedChanges | undefined): Instance {
  if (!wanted) return instance;
  const { plan, parameters, context, maintenanceVersion } = wanted;
  return {
    ...instance,
    ...(maintenanceVersion !== undefined && { maintenanceVersion }),
    ...(plan && { planId: plan.id, planName: plan.name }),
    parameters: {
      ...mergedParameters(instance.parameters, parameters),
      name: instance.parameters.name,
    },
    context: { ...instance.context, ...context },
  };
}

/** Credentials always reach the cluster, whether they are new or not: somebody may have lost them there. */
export function changesNothing(instance: Instance, wanted: WantedChanges): boolean {
  const { planId, parameters, context, maintenanceVersion } = withChanges(instance, wanted);
  return (
    wanted.context.sm_operator_credentials === undefined &&
    !isUnsettled(instance.details) &&
    planId === instance.planId &&
    maintenanceVersion === instance.maintenanceVersion &&
    isSame(parameters, instance.parameters) &&
    isSame(context, instance.context)
  );
}

/** Whether the provisioner has something to do. */
export function concernsShoot({ context, details }: Instance, wanted: WantedChanges): boolean {
  const { parameters, maintenanceVersion } = wanted;
  const { license_type: license = context.license_type } = wanted.context;
  return (
    changedInShoot(parameters).length > 0 ||
    isUnsettled(details) ||
    isFilterDisabled(license) !== isFilterDisabled(context.license_type) ||
    maintenanceVersion !== undefined
  );
}

/** Whether something changes of what is told to those who install Kyma. */
export const concernsKyma = (wanted: WantedChanges): boolean =>
  wanted.context.sm_operator_credentials !== undefined ||
  wanted.parameters.kubeconfig !== undefined ||
  namesAdministrators(wanted) ||
  wanted.plan !== undefined ||
  wanted.maintenanceVersion !== undefined;

/** An update has failed after the provisioner was asked: nobody knows what the cluster has. */
const isUnsettled = ({ unsettled = [] }: Instance['details']) => unsettled.length > 0;

const namesAdministrators = ({ parameters: { administrators = [] } }: WantedChanges) =>
  administrators.length > 0;

/** By what they say, opened secrets included. */
export const isSame = (one: unknown, other: unknown): boolean =>
  isDeepStrictEqual(revealed(one), revealed(other));

function revealed(value: unknown): unknown {
  if (value instanceof Secret) return value.reveal();
  if (Array.isArray(value)) return value.map(revealed);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, each]) =>
      each === undefined ? [] : [[name, revealed(each)]],
    ),
  );
}
