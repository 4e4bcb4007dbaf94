import type { Shoot } from '#clients';
import type { GardenerConfig } from '../config/gardener-config.ts';
import type { OIDCConfigInput } from '../config/gardener-input.ts';
import { isVersion } from '../config/versions.ts';
import { isNetworkingFilterDisabled } from './extensions.ts';
import { noOidc } from './oidc.ts';
import { readSpec, type ReadPool, type ReadSpec } from './read-spec.ts';

/**
 * The config with what can change on a Shoot as it is there now: Gardener updates versions by itself, operators turn
 * switches, and an upgrade may have come through in part. What the Shoot does not say stays as it was stored.
 */
export function seenConfig(config: GardenerConfig, shoot: Shoot): GardenerConfig {
  const spec = readSpec(shoot);
  const [pool] = spec.provider.workers;
  const { version } = spec.kubernetes;
  const { autoUpdate } = spec.maintenance;
  const oidcConfig = oidcIn(spec) ?? config.oidcConfig;
  const seen = {
    kubernetesVersion: version !== undefined && isVersion(version) ? version : undefined,
    seed: spec.seedName,
    purpose: spec.purpose,
    exposureClassName: spec.exposureClassName,
    enableKubernetesVersionAutoUpdate: autoUpdate?.kubernetesVersion,
    enableMachineImageVersionAutoUpdate: autoUpdate?.machineImageVersion,
    shootNetworkingFilterDisabled: isNetworkingFilterDisabled(spec.extensions),
    oidcConfig,
    ...machinesIn(config, pool),
  };
  return withProvider({ ...config, ...withoutUndefined(seen) }, spec, pool);
}

function machinesIn(config: GardenerConfig, pool: ReadPool | undefined) {
  const { image, type } = pool?.machine ?? {};
  const size = Number(/^(\d+)Gi$/.exec(pool?.volume?.size ?? '')?.[1]);
  return {
    machineType: type,
    autoScalerMin: pool?.minimum,
    autoScalerMax: pool?.maximum,
    maxSurge: pool?.maxSurge,
    maxUnavailable: pool?.maxUnavailable,
    // Where nobody asked for an image or a volume, Gardener's choice stays Gardener's.
    ...(config.machineImage !== undefined && {
      machineImage: image?.name,
      machineImageVersion: image?.version,
    }),
    ...(config.volumeSizeGB !== undefined && {
      diskType: pool?.volume?.type,
      volumeSizeGB: Number.isNaN(size) ? undefined : size,
    }),
  };
}

function oidcIn({ kubernetes }: ReadSpec): OIDCConfigInput | undefined {
  const found = kubernetes.kubeAPIServer?.oidcConfig;
  if (!found) return undefined;
  const { clientID, groupsClaim, issuerURL, signingAlgs, usernameClaim, usernamePrefix } = found;
  const known = { clientID, groupsClaim, issuerURL, signingAlgs, usernameClaim, usernamePrefix };
  return { ...noOidc, ...withoutUndefined(known) };
}

function withProvider(
  config: GardenerConfig,
  { provider }: ReadSpec,
  pool: ReadPool | undefined,
): GardenerConfig {
  switch (config.provider) {
    case 'aws': {
      const tokens = pool?.providerConfig?.instanceMetadataOptions?.httpTokens;
      const enableIMDSv2 = pool
        ? tokens === 'required'
        : config.providerSpecificConfig.enableIMDSv2;
      return {
        ...config,
        providerSpecificConfig: { ...config.providerSpecificConfig, enableIMDSv2 },
      };
    }
    case 'azure': {
      const { networks } = provider.infrastructureConfig ?? {};
      if (!networks) return config;
      const gateway = networks.natGateway ?? networks.zones[0]?.natGateway;
      const minutes = gateway?.idleConnectionTimeoutMinutes;
      return {
        ...config,
        providerSpecificConfig: {
          ...config.providerSpecificConfig,
          enableNatGateway: gateway?.enabled ?? false,
          ...(minutes !== undefined && { idleConnectionTimeoutMinutes: minutes }),
        },
      };
    }
    case 'gcp':
      return {
        ...config,
        providerSpecificConfig: { zones: pool?.zones ?? config.providerSpecificConfig.zones },
      };
    case 'openstack':
      return config;
  }
}

const withoutUndefined = <Members extends object>(members: Members) =>
  // Those that are left have no undefined.
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as {
    [Name in keyof Members]?: Exclude<Members[Name], undefined>;
  };
