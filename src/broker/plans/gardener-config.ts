import type { DnsConfigInput, GardenerConfigInput, OidcConfig, ProviderInput } from '#clients';
import type { Catalog } from './catalog-schema.ts';
import { parseCidr, type Cidr } from './cidr.ts';
import { clusterLocation, type ClusterLocation } from './cluster-location.ts';
import { effectiveOidc, isFilterDisabled } from './cluster-access.ts';
import type { GivenParameters } from './parameter-definitions.ts';
import type { Platform } from './platform.ts';
import type { Plan } from './plans.ts';
import { awsZones, azureZones, chooseZones } from './zone-ranges.ts';

/** What is decided for all clusters of a landscape. */
export type ClusterSettings = {
  readonly kubernetesVersion: string;
  readonly machineImage?: string;
  readonly machineImageVersion?: string;
  /** Where the plan has none. */
  readonly purpose: string;
  /** Spread the clusters of plans that can over three zones. */
  readonly severalZones: boolean;
  /** Of clusters in several zones. */
  readonly controlPlaneFailureTolerance?: 'node' | 'zone';
  readonly autoUpdate: { readonly kubernetes: boolean; readonly machineImage: boolean };
  /** For what a request leaves out. */
  readonly oidc: OidcConfig;
  readonly trialNodes?: number;
  /** Where OpenStack gets public addresses from. */
  readonly floatingPool: string;
};

/** What is known of one order when its cluster is asked for. */
export type ClusterOrder = {
  readonly parameters: GivenParameters;
  readonly platform: Platform;
  /** Decides on the zones. It stays the same when a step is repeated: the instance's id. */
  readonly seed: string;
  /** `license_type` of the context. */
  readonly licenseType?: string;
  readonly shootName: string;
  readonly targetSecret: string;
  readonly dns?: DnsConfigInput;
};

const zonesOfSpreadClusters = 3;

/** The cluster that the provisioner is asked for: what was ordered, and the defaults of plan and landscape for the rest. */
export function gardenerConfig(
  plan: Plan,
  order: ClusterOrder,
  settings: ClusterSettings,
): GardenerConfigInput {
  const { parameters, dns } = order;
  const location = clusterLocation(plan, parameters, order.platform);
  if (!location) throw new Error(`the customer brings the cluster of plan ${plan.name}`);
  const { offer, provider, region, euAccess } = location;
  const { networking, providers } = plan.catalog;
  const spread = settings.severalZones && offer.severalZones;
  const zones =
    parameters.zones ??
    chooseZones(
      providers[provider].regions[region]?.zones ?? [],
      spread ? zonesOfSpreadClusters : 1,
      order.seed,
    );
  const workerCidr = parameters.networking?.nodes ?? offer.nodesCidr ?? networking.nodes;
  const trialNodes = plan.name === 'trial' ? settings.trialNodes : undefined;
  const volumeSizeGB = parameters.volumeSizeGb ?? offer.disk?.sizeGb;
  const tolerance = spread ? settings.controlPlaneFailureTolerance : undefined;

  return {
    ...providerInput(location, zones, workerCidr, plan.catalog, settings),
    name: order.shootName,
    kubernetesVersion: settings.kubernetesVersion,
    targetSecret: order.targetSecret,
    region,
    machineType: parameters.machineType ?? offer.machineType,
    ...(settings.machineImage && { machineImage: settings.machineImage }),
    ...(settings.machineImageVersion && { machineImageVersion: settings.machineImageVersion }),
    ...(offer.disk && { diskType: offer.disk.type }),
    ...(volumeSizeGB !== undefined && { volumeSizeGB }),
    workerCidr,
    ...(parameters.networking && {
      podsCidr: networking.pods,
      servicesCidr: networking.services,
    }),
    autoScalerMin: trialNodes ?? parameters.autoScalerMin ?? offer.nodes.min,
    autoScalerMax: trialNodes ?? parameters.autoScalerMax ?? offer.nodes.max,
    maxSurge: parameters.maxSurge ?? (offer.maxSurge === 'zones' ? zones.length : offer.maxSurge),
    maxUnavailable: parameters.maxUnavailable ?? 0,
    purpose: parameters.purpose ?? offer.purpose ?? settings.purpose,
    ...(plan.licenceType && { licenceType: plan.licenceType }),
    enableKubernetesVersionAutoUpdate: settings.autoUpdate.kubernetes,
    enableMachineImageVersionAutoUpdate: settings.autoUpdate.machineImage,
    oidcConfig: effectiveOidc(parameters.oidc, settings.oidc),
    ...(dns && { dnsConfig: dns }),
    ...(provider === 'openstack' && { exposureClassName: providers.openstack.exposureClass }),
    shootNetworkingFilterDisabled: isFilterDisabled(order.licenseType),
    ...(tolerance && { controlPlaneFailureTolerance: tolerance }),
    euAccess,
  };
}

function providerInput(
  { provider, offer }: ClusterLocation,
  zones: readonly string[],
  workerCidr: string,
  { providers }: Catalog,
  { floatingPool: floatingPoolName }: ClusterSettings,
): ProviderInput {
  const nodes = rangeOf(workerCidr);
  switch (provider) {
    case 'aws': {
      const awsConfig = { vpcCidr: workerCidr, awsZones: awsZones(zones, nodes) };
      return { provider, providerSpecificConfig: { awsConfig } };
    }
    case 'azure': {
      const azureConfig = {
        vnetCidr: workerCidr,
        azureZones: azureZones(zones, nodes),
        enableNatGateway: offer.natGateway ?? false,
      };
      return { provider, providerSpecificConfig: { azureConfig } };
    }
    case 'gcp':
      return { provider, providerSpecificConfig: { gcpConfig: { zones } } };
    case 'openstack': {
      const { cloudProfile: cloudProfileName, loadBalancer: loadBalancerProvider } =
        providers.openstack;
      const openStackConfig = { zones, floatingPoolName, cloudProfileName, loadBalancerProvider };
      return { provider, providerSpecificConfig: { openStackConfig } };
    }
  }
}

function rangeOf(cidr: string): Cidr {
  const range = parseCidr(cidr);
  if (!range) throw new RangeError(`${cidr} is no range of addresses`);
  return range;
}
