import type { ConfigOf } from '../config/gardener-config.ts';
import { providerConfig } from './provider-config.ts';
import type { ProviderPart } from './provider-part.ts';

/** Machines hand out their cloud credentials only to who asks for a token first: IMDSv2. */
const onlyWithToken = { httpTokens: 'required', httpPutResponseHopLimit: 2 };

export function awsPart({ providerSpecificConfig }: ConfigOf<'aws'>): ProviderPart {
  const { vpcCidr, awsZones, enableIMDSv2 } = providerSpecificConfig;
  const zones = awsZones.map(({ name, internalCidr, publicCidr, workerCidr }) => ({
    name,
    internal: internalCidr,
    public: publicCidr,
    workers: workerCidr,
  }));
  return {
    cloudProfileName: 'aws',
    nodes: vpcCidr,
    zones: awsZones.map(({ name }) => name),
    infrastructureConfig: providerConfig('aws', 'InfrastructureConfig', {
      networks: { vpc: { cidr: vpcCidr }, zones },
    }),
    controlPlaneConfig: providerConfig('aws', 'ControlPlaneConfig', {}),
    ...(enableIMDSv2 && {
      workerConfig: providerConfig('aws', 'WorkerConfig', {
        instanceMetadataOptions: onlyWithToken,
      }),
    }),
  };
}
