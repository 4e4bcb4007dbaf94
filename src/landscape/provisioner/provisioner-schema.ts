import { buildSchema } from 'graphql';

/** The last schema of the Runtime Provisioner, as far as the broker uses it. */
export const provisionerSchema = buildSchema(`
  scalar Labels

  enum OperationType {
    Provision ProvisionNoInstall Upgrade UpgradeShoot Deprovision DeprovisionNoInstall ReconnectRuntime Hibernate
  }
  enum OperationState { Pending InProgress Succeeded Failed }
  enum RuntimeAgentConnectionStatus { Pending Connected Disconnected }
  enum KymaProfile { Evaluation Production }
  enum ConflictStrategy { Merge Replace }

  type Query {
    runtimeStatus(id: String!): RuntimeStatus
    runtimeOperationStatus(id: String!): OperationStatus
  }
  type Mutation {
    provisionRuntime(config: ProvisionRuntimeInput!): OperationStatus
    upgradeRuntime(id: String!, config: UpgradeRuntimeInput!): OperationStatus @deprecated
    deprovisionRuntime(id: String!): String!
    upgradeShoot(id: String!, config: UpgradeShootInput!): OperationStatus
    reconnectRuntimeAgent(id: String!): String!
  }

  type OperationStatus {
    id: String
    operation: OperationType!
    state: OperationState!
    message: String
    runtimeID: String
    compassRuntimeID: String
    lastError: LastError
  }
  type LastError { errMessage: String! reason: String! component: String! }
  type Error { message: String }
  type RuntimeStatus {
    lastOperationStatus: OperationStatus
    runtimeConnectionStatus: RuntimeConnectionStatus
    runtimeConfiguration: RuntimeConfig
    hibernationStatus: HibernationStatus @deprecated
  }
  type RuntimeConnectionStatus { status: RuntimeAgentConnectionStatus! errors: [Error!] }
  type HibernationStatus { hibernated: Boolean hibernationPossible: Boolean }
  type RuntimeConfig {
    clusterConfig: GardenerConfig
    kymaConfig: KymaConfig @deprecated
    kubeconfig: String
  }
  type GardenerConfig {
    name: String
    kubernetesVersion: String
    targetSecret: String
    provider: String
    region: String
    seed: String
    machineType: String
    machineImage: String
    machineImageVersion: String
    diskType: String
    volumeSizeGB: Int
    workerCidr: String
    podsCidr: String
    servicesCidr: String
    autoScalerMin: Int
    autoScalerMax: Int
    maxSurge: Int
    maxUnavailable: Int
    purpose: String
    licenceType: String
    enableKubernetesVersionAutoUpdate: Boolean
    enableMachineImageVersionAutoUpdate: Boolean
    providerSpecificConfig: ProviderSpecificConfig
    dnsConfig: DNSConfig
    oidcConfig: OIDCConfig
    exposureClassName: String
    shootNetworkingFilterDisabled: Boolean
    controlPlaneFailureTolerance: String
    euAccess: Boolean
  }
  union ProviderSpecificConfig = GCPProviderConfig | AzureProviderConfig | AWSProviderConfig | OpenStackProviderConfig
  type GCPProviderConfig { zones: [String!]! }
  type AzureProviderConfig {
    vnetCidr: String
    zones: [String!]
    azureZones: [AzureZone!]
    enableNatGateway: Boolean
    idleConnectionTimeoutMinutes: Int
  }
  type AWSProviderConfig { awsZones: [AWSZone]! vpcCidr: String enableIMDSv2: Boolean }
  type OpenStackProviderConfig {
    zones: [String!]!
    floatingPoolName: String!
    cloudProfileName: String!
    loadBalancerProvider: String!
  }
  type AzureZone { name: Int! cidr: String! }
  type AWSZone { name: String publicCidr: String internalCidr: String workerCidr: String }
  type DNSConfig { domain: String! providers: [DNSProvider] }
  type DNSProvider { domainsInclude: [String!]! primary: Boolean! secretName: String! type: String! }
  type OIDCConfig {
    clientID: String!
    groupsClaim: String!
    issuerURL: String!
    signingAlgs: [String!]!
    usernameClaim: String!
    usernamePrefix: String!
  }
  type KymaConfig {
    version: String
    profile: KymaProfile
    components: [ComponentConfiguration]
    configuration: [ConfigEntry]
  }
  type ComponentConfiguration {
    component: String!
    namespace: String!
    configuration: [ConfigEntry]
    sourceURL: String
  }
  type ConfigEntry { key: String! value: String! secret: Boolean }

  input ProvisionRuntimeInput {
    runtimeInput: RuntimeInput!
    clusterConfig: ClusterConfigInput!
    kymaConfig: KymaConfigInput
  }
  input RuntimeInput { name: String! description: String labels: Labels }
  input ClusterConfigInput { gardenerConfig: GardenerConfigInput! administrators: [String!] }
  input GardenerConfigInput {
    name: String!
    kubernetesVersion: String!
    provider: String!
    targetSecret: String!
    region: String!
    machineType: String!
    machineImage: String
    machineImageVersion: String
    diskType: String
    volumeSizeGB: Int
    workerCidr: String!
    podsCidr: String
    servicesCidr: String
    autoScalerMin: Int!
    autoScalerMax: Int!
    maxSurge: Int!
    maxUnavailable: Int!
    purpose: String
    licenceType: String
    enableKubernetesVersionAutoUpdate: Boolean
    enableMachineImageVersionAutoUpdate: Boolean
    providerSpecificConfig: ProviderSpecificInput!
    dnsConfig: DNSConfigInput
    seed: String
    oidcConfig: OIDCConfigInput
    exposureClassName: String
    shootNetworkingFilterDisabled: Boolean
    controlPlaneFailureTolerance: String
    euAccess: Boolean
    shootAndSeedSameRegion: Boolean
  }
  input ProviderSpecificInput {
    gcpConfig: GCPProviderConfigInput
    azureConfig: AzureProviderConfigInput
    awsConfig: AWSProviderConfigInput
    openStackConfig: OpenStackProviderConfigInput
  }
  input GCPProviderConfigInput { zones: [String!]! }
  input AzureProviderConfigInput {
    vnetCidr: String!
    zones: [String!]
    azureZones: [AzureZoneInput!]
    enableNatGateway: Boolean
    idleConnectionTimeoutMinutes: Int
  }
  input AzureZoneInput { name: Int! cidr: String! }
  input AWSProviderConfigInput { vpcCidr: String! awsZones: [AWSZoneInput]! enableIMDSv2: Boolean }
  input AWSZoneInput { name: String! publicCidr: String! internalCidr: String! workerCidr: String! }
  input OpenStackProviderConfigInput {
    zones: [String!]!
    floatingPoolName: String
    cloudProfileName: String
    loadBalancerProvider: String!
  }
  input DNSConfigInput { domain: String! providers: [DNSProviderInput] }
  input DNSProviderInput { domainsInclude: [String!]! primary: Boolean! secretName: String! type: String! }
  input OIDCConfigInput {
    clientID: String!
    groupsClaim: String!
    issuerURL: String!
    signingAlgs: [String!]!
    usernameClaim: String!
    usernamePrefix: String!
  }
  input KymaConfigInput {
    version: String!
    profile: KymaProfile
    components: [ComponentConfigurationInput]!
    configuration: [ConfigEntryInput]
    conflictStrategy: ConflictStrategy
  }
  input ComponentConfigurationInput {
    component: String!
    namespace: String!
    configuration: [ConfigEntryInput]
    sourceURL: String
    conflictStrategy: ConflictStrategy
  }
  input ConfigEntryInput { key: String! value: String! secret: Boolean }
  input UpgradeRuntimeInput { kymaConfig: KymaConfigInput! }
  input UpgradeShootInput { gardenerConfig: GardenerUpgradeInput! administrators: [String!] }
  input GardenerUpgradeInput {
    kubernetesVersion: String
    machineType: String
    diskType: String
    volumeSizeGB: Int
    autoScalerMin: Int
    autoScalerMax: Int
    machineImage: String
    machineImageVersion: String
    maxSurge: Int
    maxUnavailable: Int
    purpose: String
    enableKubernetesVersionAutoUpdate: Boolean
    enableMachineImageVersionAutoUpdate: Boolean
    providerSpecificConfig: ProviderSpecificInput
    oidcConfig: OIDCConfigInput
    exposureClassName: String
    shootNetworkingFilterDisabled: Boolean
  }
`);
