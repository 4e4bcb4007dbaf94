/** What a new runtime shall be. Without `kymaConfig` it is a cluster alone. */
export type ProvisionRuntimeInput = {
  readonly runtimeInput: {
    readonly name: string;
    readonly description?: string;
    /** Keys have letters, digits and underscores. */
    readonly labels?: Readonly<Record<string, string>>;
  };
  readonly clusterConfig: {
    readonly gardenerConfig: GardenerConfigInput;
    /** User ids that become cluster administrators. */
    readonly administrators?: readonly string[];
  };
  readonly kymaConfig?: KymaConfigInput;
};

export type GardenerConfigInput = ProviderInput & {
  /** Of the Shoot. */
  readonly name: string;
  readonly kubernetesVersion: string;
  /** Names a credential of the account pool: not the credential itself. */
  readonly targetSecret: string;
  readonly region: string;
  readonly seed?: string;
  readonly machineType: string;
  readonly machineImage?: string;
  readonly machineImageVersion?: string;
  readonly diskType?: string;
  readonly volumeSizeGB?: number;
  readonly workerCidr: string;
  readonly podsCidr?: string;
  readonly servicesCidr?: string;
  readonly autoScalerMin: number;
  readonly autoScalerMax: number;
  readonly maxSurge: number;
  readonly maxUnavailable: number;
  readonly purpose?: string;
  readonly licenceType?: string;
  readonly enableKubernetesVersionAutoUpdate?: boolean;
  readonly enableMachineImageVersionAutoUpdate?: boolean;
  readonly oidcConfig?: OidcConfig;
  readonly dnsConfig?: DnsConfigInput;
  readonly exposureClassName?: string;
  readonly shootNetworkingFilterDisabled?: boolean;
  readonly controlPlaneFailureTolerance?: string;
  readonly euAccess?: boolean;
};

/** The provider and what it alone wants to know: the provisioner itself does not compare them. */
export type ProviderInput =
  | { readonly provider: 'aws'; readonly providerSpecificConfig: { readonly awsConfig: AwsConfig } }
  | {
      readonly provider: 'azure';
      readonly providerSpecificConfig: { readonly azureConfig: AzureConfig };
    }
  | { readonly provider: 'gcp'; readonly providerSpecificConfig: { readonly gcpConfig: GcpConfig } }
  | {
      readonly provider: 'openstack';
      readonly providerSpecificConfig: { readonly openStackConfig: OpenStackConfig };
    };
export type ProviderSpecificInput = ProviderInput['providerSpecificConfig'];

type AwsConfig = {
  readonly vpcCidr: string;
  readonly awsZones: readonly {
    readonly name: string;
    readonly publicCidr: string;
    readonly internalCidr: string;
    readonly workerCidr: string;
  }[];
};
type AzureConfig = {
  readonly vnetCidr: string;
  readonly zones?: readonly string[];
  readonly azureZones?: readonly { readonly name: number; readonly cidr: string }[];
  readonly enableNatGateway?: boolean;
  readonly idleConnectionTimeoutMinutes?: number;
};
type GcpConfig = { readonly zones: readonly string[] };
type OpenStackConfig = {
  readonly zones: readonly string[];
  readonly floatingPoolName: string;
  readonly cloudProfileName: string;
  readonly loadBalancerProvider: string;
};

export type OidcConfig = {
  readonly clientID: string;
  readonly issuerURL: string;
  readonly groupsClaim: string;
  readonly signingAlgs: readonly string[];
  readonly usernameClaim: string;
  readonly usernamePrefix: string;
};
export type DnsConfigInput = {
  readonly domain: string;
  readonly providers?: readonly {
    readonly domainsInclude: readonly string[];
    readonly primary: boolean;
    readonly secretName: string;
    readonly type: string;
  }[];
};

/** Members that are left out stay as they are. */
export type UpgradeShootInput = {
  readonly gardenerConfig: Partial<
    Pick<
      GardenerConfigInput,
      | 'kubernetesVersion'
      | 'machineType'
      | 'machineImage'
      | 'machineImageVersion'
      | 'diskType'
      | 'volumeSizeGB'
      | 'autoScalerMin'
      | 'autoScalerMax'
      | 'maxSurge'
      | 'maxUnavailable'
      | 'purpose'
      | 'enableKubernetesVersionAutoUpdate'
      | 'enableMachineImageVersionAutoUpdate'
      | 'oidcConfig'
      | 'exposureClassName'
      | 'shootNetworkingFilterDisabled'
    >
  > & { readonly providerSpecificConfig?: ProviderSpecificInput };
  /** Not optional: a provisioner of old takes a missing list for an empty one, and locks everybody out. */
  readonly administrators: readonly string[];
};

/** Kyma 1.x, installed by the provisioner itself. One component has to be `compass-runtime-agent`. */
export type KymaConfigInput = {
  readonly version: string;
  readonly profile?: 'Evaluation' | 'Production' | undefined;
  readonly conflictStrategy?: ConflictStrategy | undefined;
  /** Overrides for all components. */
  readonly configuration?: readonly ConfigEntry[] | undefined;
  /** In the order of their installation. */
  readonly components: readonly KymaComponentInput[];
};
export type KymaComponentInput = {
  readonly component: string;
  readonly namespace: string;
  readonly sourceURL?: string | undefined;
  readonly conflictStrategy?: ConflictStrategy | undefined;
  readonly configuration?: readonly ConfigEntry[] | undefined;
};
export type ConfigEntry = {
  readonly key: string;
  readonly value: string;
  readonly secret?: boolean | undefined;
};
type ConflictStrategy = 'Merge' | 'Replace';
