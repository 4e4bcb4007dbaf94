import { withNatDefaults, isZoned, type ConfigOf, type GardenerConfig } from './gardener-config.ts';
import { InvalidInput } from './invalid-input.ts';
import { blocks, type ProviderSpecificInput } from './provider-input.ts';

/** What of a provider's block can be changed on a living cluster; all the rest of it must be as it is. */
export function changedProvider(
  config: GardenerConfig,
  input: ProviderSpecificInput,
): GardenerConfig {
  switch (config.provider) {
    case 'aws':
      return changedAws(config, given(config, input.awsConfig));
    case 'azure':
      return changedAzure(config, given(config, input.azureConfig));
    case 'gcp': {
      const { zones } = given(config, input.gcpConfig);
      const before = config.providerSpecificConfig.zones;
      return {
        ...config,
        providerSpecificConfig: { zones: grown('gcpConfig.zones', before, zones) },
      };
    }
    case 'openstack': {
      const block = given(config, input.openStackConfig);
      const before = config.providerSpecificConfig;
      for (const key of ['floatingPoolName', 'cloudProfileName', 'loadBalancerProvider'] as const)
        unchanged(`openStackConfig.${key}`, key, before[key], block[key] || before[key]);
      const zones = grown('openStackConfig.zones', before.zones, block.zones);
      if (zones.length > before.zones.length) throw noMoreZones('openStackConfig.zones');
      return config;
    }
  }
}

function given<Block>(config: GardenerConfig, block: Block | undefined): Block {
  if (block !== undefined) return block;
  const field = `providerSpecificConfig.${blocks[config.provider]}`;
  throw refused(field, `the provider is ${config.provider}: only ${field} can be given`);
}

type Aws = ProviderSpecificInput['awsConfig'] & {};
function changedAws(config: ConfigOf<'aws'>, block: Aws): ConfigOf<'aws'> {
  const before = config.providerSpecificConfig;
  unchanged('awsConfig.vpcCidr', 'network CIDR', before.vpcCidr, block.vpcCidr);
  sameZones('awsConfig.awsZones', before.awsZones, block.awsZones, {
    workerCidr: 'network zone workers CIDR',
    internalCidr: 'network zone internal CIDR',
    publicCidr: 'network zone public CIDR',
  });
  const { enableIMDSv2 = before.enableIMDSv2 } = block;
  if (before.enableIMDSv2 && !enableIMDSv2)
    throw refused(
      'awsConfig.enableIMDSv2',
      'enableIMDSv2 is false: it cannot be switched off again',
    );
  return { ...config, providerSpecificConfig: { ...before, enableIMDSv2 } };
}

type Azure = ProviderSpecificInput['azureConfig'] & {};
function changedAzure(config: ConfigOf<'azure'>, block: Azure): ConfigOf<'azure'> {
  const before = config.providerSpecificConfig;
  unchanged('azureConfig.vnetCidr', 'network CIDR', before.vnetCidr, block.vnetCidr);
  if (block.azureZones)
    sameZones('azureConfig.azureZones', before.azureZones ?? [], block.azureZones, {
      cidr: 'network zone CIDR',
    });
  if (block.enableNatGateway && !isZoned(before))
    throw refused(
      'azureConfig.enableNatGateway',
      'enableNatGateway is true: a cluster without zones has no NAT gateway',
    );
  return {
    ...config,
    providerSpecificConfig: withNatDefaults({ ...before, ...block, ...azureZones(before, block) }),
  };
}

/** Zones that share one subnet can become more, but no cluster gets zones later, or a subnet for each. */
function azureZones({ zones, azureZones }: Azure, block: Azure): Pick<Azure, 'zones'> {
  if (!block.zones) return {};
  const before = zones ?? azureZones?.map(({ name }) => String(name)) ?? [];
  const wanted = grown('azureConfig.zones', before, block.zones);
  if (wanted.length > before.length && (azureZones || before.length === 0))
    throw noMoreZones('azureConfig.zones');
  return { zones: wanted };
}

/** The zones of before in their order (it is the machines' order too), and then the new ones. */
function grown(field: string, before: readonly string[], wanted: readonly string[]): string[] {
  const missing = before.find((zone) => !wanted.includes(zone));
  if (missing !== undefined) throw zoneLeftOut(field, missing);
  return [...before, ...wanted.filter((zone) => !before.includes(zone))];
}

function sameZones<Range extends string>(
  field: string,
  before: readonly ({ readonly name: string | number } & Record<NoInfer<Range>, string>)[],
  wanted: readonly ({ readonly name: string | number } & Record<NoInfer<Range>, string>)[],
  ranges: Readonly<Record<Range, string>>,
): void {
  for (const [index, zone] of wanted.entries()) {
    const same = before.find(({ name }) => name === zone.name);
    if (!same) throw noMoreZones(`${field}[${index}]`);
    for (const range of Object.keys(ranges) as Range[])
      // the table has these keys and no other
      unchanged(`${field}[${index}].${range}`, ranges[range], same[range], zone[range]);
  }
  const missing = before.find(({ name }) => !wanted.some((zone) => zone.name === name));
  if (missing) throw zoneLeftOut(field, missing.name);
}

function unchanged(field: string, what: string, from: string, to: string): void {
  if (from !== to) throw invalidChange(field, `cannot change shoot ${what} from ${from} to ${to}`);
}
const noMoreZones = (field: string) =>
  invalidChange(field, 'extension of shoot network zones is not supported');
const zoneLeftOut = (field: string, zone: string | number) =>
  invalidChange(field, `zone ${zone} is left out, and zones cannot be removed`);
const invalidChange = (field: string, what: string) =>
  refused(field, `Invalid gardener provider config change, ${what} (${field})`);
const refused = (field: string, message: string) => new InvalidInput(field, message);
