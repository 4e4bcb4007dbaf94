import type { Shoot } from '#clients';
import type { GardenerConfig } from '../config/gardener-config.ts';
import { isLower } from '../config/versions.ts';
import { withNetworkingFilter } from './extensions.ts';
import {
  operationAnnotations,
  ownShoot,
  timeWindow,
  type OwnShoot,
  type ShootOwner,
  type ShootSettings,
} from './own-shoot.ts';
import type { InfrastructureConfig, NetworkZone } from './provider-part.ts';
import { readSpec, type ReadPool, type ReadSpec } from './read-spec.ts';
import type { workerPool } from './worker-pool.ts';

/**
 * A Shoot of ours that is there already, as the config wants it: all our fields, because what is left out is taken
 * back, and nothing that is not ours. Lists are applied as a whole, so they keep the entries of others. What can never
 * change stays as it was read, and so does what Gardener or an operator may have moved. It can only be applied to the
 * very Shoot that was read.
 */
export function upgradedShoot(
  current: Shoot,
  config: GardenerConfig,
  { settings, ...owner }: ShootOwner & { readonly settings: ShootSettings },
): OwnShoot {
  const { metadata, spec } = ownShoot(config, owner, {});
  const now = readSpec(current);
  const { seedName, tolerations, hibernation, resources, extensions } = now;
  const { provider } = spec;
  return {
    metadata: {
      ...metadata,
      annotations: asItIs(metadata.annotations, current.metadata.annotations ?? {}, operationIds),
      resourceVersion: current.metadata.resourceVersion,
    },
    spec: {
      ...spec,
      ...asItIs(spec, now, ['secretBindingName', 'cloudProfileName', 'region']),
      ...(seedName !== undefined && { seedName }),
      ...(tolerations && { tolerations }),
      ...(hibernation && { hibernation }),
      ...(resources.length > 0 && { resources }),
      kubernetes: withKubernetesOf(now, spec.kubernetes),
      networking: asItIs(spec.networking, now.networking, Object.keys(spec.networking)),
      maintenance: { ...spec.maintenance, ...keptWindow(now, config, settings) },
      extensions: withNetworkingFilter(extensions, config.shootNetworkingFilterDisabled),
      provider: {
        ...provider,
        infrastructureConfig: withNetworksOf(now, provider.infrastructureConfig),
        workers: withFirstPool(now.provider.workers, provider.workers[0]),
      },
    },
  };
}

const operationIds = Object.keys(operationAnnotations(''));

/** Our members, those of these names as they are now. */
function asItIs<Own extends object>(own: Own, now: object, names: readonly string[]): Own {
  const kept = Object.entries(now).filter(
    ([name, value]) => names.includes(name) && Object.hasOwn(own, name) && value !== undefined,
  );
  return { ...own, ...Object.fromEntries(kept) };
}

/** A cluster that becomes a production cluster gets the window of those. Otherwise a window is never moved. */
function keptWindow(now: ReadSpec, config: GardenerConfig, settings: ShootSettings) {
  const { timeWindow: window } = now.maintenance;
  const isNewPurpose = now.purpose !== config.purpose;
  return {
    ...(window && { timeWindow: window }),
    ...(isNewPurpose && timeWindow(config, settings)),
  };
}

/** The audit policy is chosen once, when the cluster is made; and no version goes back. */
function withKubernetesOf(
  { kubernetes }: ReadSpec,
  own: { readonly version: string; readonly kubeAPIServer?: object },
) {
  const { version = own.version, kubeAPIServer } = kubernetes;
  const auditConfig = kubeAPIServer?.auditConfig;
  return {
    ...own,
    version: isLower(own.version, version) ? version : own.version,
    ...(auditConfig && { kubeAPIServer: { ...own.kubeAPIServer, auditConfig } }),
  };
}

type Pool = ReturnType<typeof workerPool>;

/** Only the first pool is ours; and in it, what we say. Images and versions that Gardener chose stay. */
function withFirstPool([first, ...others]: readonly ReadPool[], own: Pool | undefined): object[] {
  if (!own) return first ? [first, ...others] : others;
  if (!first) return [own, ...others];
  const { image, ...machine } = own.machine;
  const isSameImage = image?.name === first.machine?.image?.name;
  const images = image && { image: isSameImage ? { ...first.machine?.image, ...image } : image };
  const pool = {
    ...first,
    ...own,
    name: first.name ?? own.name,
    machine: { ...first.machine, ...machine, ...images },
    ...(own.volume && { volume: { ...first.volume, ...own.volume } }),
    ...(own.providerConfig && {
      providerConfig: { ...first.providerConfig, ...own.providerConfig },
    }),
  };
  return [pool, ...others];
}

/** In each zone, what others wrote beside ours; not the gateway that we no longer want. */
function withNetworksOf(now: ReadSpec, own: InfrastructureConfig): InfrastructureConfig {
  const { zones } = own.networks;
  if (!zones) return own;
  const known = now.provider.infrastructureConfig?.networks?.zones ?? [];
  const withKnown = ({ natGateway, ...zone }: NetworkZone): NetworkZone => {
    const { natGateway: before, ...rest } = known.find(({ name }) => name === zone.name) ?? {};
    return { ...rest, ...zone, ...(natGateway && { natGateway: { ...before, ...natGateway } }) };
  };
  return { ...own, networks: { ...own.networks, zones: zones.map(withKnown) } };
}
