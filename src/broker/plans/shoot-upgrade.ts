import type { UpgradeShootInput } from '#clients';
import { administratorsOf, effectiveOidc, isFilterDisabled } from './cluster-access.ts';
import type { ClusterSettings } from './gardener-config.ts';
import type { GivenParameters } from './parameter-definitions.ts';

/** What an upgrade changes; what it does not name is the landscape's. */
export type WantedVersions = {
  readonly kubernetesVersion?: string;
  readonly machineImage?: string;
  readonly machineImageVersion?: string;
};

/** The whole of what a landscape decides for its clusters, and who may enter; machines and their number stay as ordered. */
export function shootUpgrade(
  wanted: WantedVersions,
  {
    parameters,
    userId,
    licenseType,
  }: {
    readonly parameters: GivenParameters;
    readonly userId: string;
    readonly licenseType?: string | undefined;
  },
  settings: ClusterSettings,
): UpgradeShootInput {
  const machineImage = wanted.machineImage ?? settings.machineImage;
  // A version of another image is of no use.
  const machineImageVersion =
    wanted.machineImageVersion ??
    (wanted.machineImage === undefined ? settings.machineImageVersion : undefined);
  return {
    gardenerConfig: {
      kubernetesVersion: wanted.kubernetesVersion ?? settings.kubernetesVersion,
      ...(machineImage && { machineImage }),
      ...(machineImage && machineImageVersion && { machineImageVersion }),
      enableKubernetesVersionAutoUpdate: settings.autoUpdate.kubernetes,
      enableMachineImageVersionAutoUpdate: settings.autoUpdate.machineImage,
      oidcConfig: effectiveOidc(parameters.oidc, settings.oidc),
      shootNetworkingFilterDisabled: isFilterDisabled(licenseType),
    },
    administrators: administratorsOf(parameters, userId),
  };
}
