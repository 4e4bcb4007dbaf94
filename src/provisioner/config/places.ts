import type { GardenerConfig } from './gardener-config.ts';
import type { Place } from './rule.ts';

/** The range that the nodes are in. */
export function nodeRange(config: GardenerConfig): Place<string> {
  switch (config.provider) {
    case 'aws':
      return ['awsConfig.vpcCidr', config.providerSpecificConfig.vpcCidr];
    case 'azure':
      return ['azureConfig.vnetCidr', config.providerSpecificConfig.vnetCidr];
    case 'gcp':
    case 'openstack':
      return ['workerCidr', config.workerCidr];
  }
}

/** The ranges that are parts of the nodes' range. */
export function subnets(config: GardenerConfig): Place<string>[] {
  if (config.provider === 'aws')
    return config.providerSpecificConfig.awsZones.flatMap((zone, index) =>
      (['workerCidr', 'publicCidr', 'internalCidr'] as const).map((range): Place<string> => [
        `awsConfig.awsZones[${index}].${range}`,
        zone[range],
      ]),
    );
  if (config.provider !== 'azure') return [];
  const { azureZones } = config.providerSpecificConfig;
  if (!azureZones) return [['workerCidr', config.workerCidr]];
  return azureZones.map(({ cidr }, index) => [`azureConfig.azureZones[${index}].cidr`, cidr]);
}

const given = (field: string, value: string | undefined): Place<string>[] =>
  value === undefined ? [] : [[field, value]];

export const networks = (config: GardenerConfig): Place<string>[] => [
  ['workerCidr', config.workerCidr],
  nodeRange(config),
  ...given('podsCidr', config.podsCidr),
  ...given('servicesCidr', config.servicesCidr),
  ...subnets(config),
];

/** Lists of zones, as far as they were given. */
export function zoneLists(config: GardenerConfig): Place<readonly string[]>[] {
  switch (config.provider) {
    case 'aws': {
      const names = config.providerSpecificConfig.awsZones.map(({ name }) => name);
      return [['awsConfig.awsZones', names]];
    }
    case 'azure': {
      const { zones, azureZones } = config.providerSpecificConfig;
      return [
        ...(zones ? [['azureConfig.zones', zones] as const] : []),
        ...(azureZones
          ? [['azureConfig.azureZones', azureZones.map(({ name }) => String(name))] as const]
          : []),
      ];
    }
    case 'gcp':
      return [['gcpConfig.zones', config.providerSpecificConfig.zones]];
    case 'openstack':
      return [['openStackConfig.zones', config.providerSpecificConfig.zones]];
  }
}

export const zones = (config: GardenerConfig): Place<string>[] =>
  zoneLists(config).flatMap(([list, names]) =>
    names.map((name, index): Place<string> => [`${list}[${index}]`, name]),
  );

/** The zones of those providers that name a zone after its region. */
export const regionalZones = (config: GardenerConfig): Place<string>[] =>
  config.provider === 'azure' ? [] : zones(config);

/** Both ways to name Azure's zones, where both are used. */
export function azureZonesTwice(config: GardenerConfig): Place<readonly string[]>[] {
  const lists = config.provider === 'azure' ? zoneLists(config) : [];
  return lists.length === 2 ? lists.slice(0, 1) : [];
}

export const natTimeout = (config: GardenerConfig): Place<number>[] => {
  if (config.provider !== 'azure') return [];
  const { idleConnectionTimeoutMinutes: minutes } = config.providerSpecificConfig;
  return minutes === undefined ? [] : [['azureConfig.idleConnectionTimeoutMinutes', minutes]];
};

/** A disk type without a size, or a size without a type. */
export const halfOfVolume = ({
  diskType,
  volumeSizeGB,
}: GardenerConfig): Place<string | number>[] => {
  if (diskType !== undefined && volumeSizeGB === undefined) return [['diskType', diskType]];
  if (diskType === undefined && volumeSizeGB !== undefined) return [['volumeSizeGB', volumeSizeGB]];
  return [];
};

export const primaryDnsProviders = ({ dnsConfig }: GardenerConfig): Place<number>[] => [
  ['dnsConfig.providers', (dnsConfig?.providers ?? []).filter(({ primary }) => primary).length],
];

export const openStackExposure = (config: GardenerConfig): Place<string>[] =>
  config.provider === 'openstack' && config.exposureClassName !== undefined
    ? [['exposureClassName', config.exposureClassName]]
    : [];

export const openStackVolume = (config: GardenerConfig): Place<string | number>[] => {
  if (config.provider !== 'openstack') return [];
  const { diskType, volumeSizeGB } = config;
  return [
    ...(diskType === undefined ? [] : [['diskType', diskType] as const]),
    ...(volumeSizeGB === undefined ? [] : [['volumeSizeGB', volumeSizeGB] as const]),
  ];
};
