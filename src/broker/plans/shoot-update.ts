import type { UpgradeShootInput } from '#clients';
import { administratorsOf, effectiveOidc, isFilterDisabled } from './cluster-access.ts';
import type { ClusterSettings } from './gardener-config.ts';
import { mergedParameters } from './merged-parameters.ts';
import { saysNothing } from './oidc-rules.ts';
import type { GivenParameters } from './parameter-definitions.ts';

/** The parameters that an update can change in a cluster. */
export const shootParameters = [
  'machineType',
  'autoScalerMin',
  'autoScalerMax',
  'maxSurge',
  'maxUnavailable',
  'oidc',
  'administrators',
] as const satisfies readonly (keyof GivenParameters)[];
export type ShootParameter = (typeof shootParameters)[number];

/** Those of them that the update names. Empty lists and empty objects ask for nothing. */
export const changedInShoot = (update: GivenParameters): ShootParameter[] => {
  const { oidc = {}, administrators = [] } = update;
  const asksForNothing = { oidc: saysNothing(oidc), administrators: administrators.length === 0 };
  return shootParameters.filter((name) =>
    name === 'oidc' || name === 'administrators'
      ? !asksForNothing[name]
      : update[name] !== undefined,
  );
};

/** An update of an instance: what it has, what is to change, and who owns it. */
export type InstanceUpdate = {
  readonly current: GivenParameters;
  readonly update: GivenParameters;
  readonly userId: string;
  /** `license_type` of the context. */
  readonly licenseType?: string;
};

/** What the provisioner is asked to change: only what the update names, so that newer defaults reach no old cluster unasked. */
export function shootUpdate(
  { current, update, userId, licenseType }: InstanceUpdate,
  { oidc: defaults }: Pick<ClusterSettings, 'oidc'>,
): UpgradeShootInput {
  const { machineType, autoScalerMin, autoScalerMax, maxSurge, maxUnavailable, oidc } = update;
  return {
    gardenerConfig: {
      ...(machineType !== undefined && { machineType }),
      ...(autoScalerMin !== undefined && { autoScalerMin }),
      ...(autoScalerMax !== undefined && { autoScalerMax }),
      ...(maxSurge !== undefined && { maxSurge }),
      ...(maxUnavailable !== undefined && { maxUnavailable }),
      ...(oidc && !saysNothing(oidc) && { oidcConfig: effectiveOidc(oidc, defaults) }),
      shootNetworkingFilterDisabled: isFilterDisabled(licenseType),
    },
    administrators: administratorsOf(mergedParameters(current, update), userId),
  };
}
