/** What the schema has let through, as far as anybody here looks at it. */
export type KymaInput = {
  readonly version: string;
  readonly components: readonly ({ readonly component: string } | null)[];
};
export type ProviderSpecificInput = {
  readonly gcpConfig?: object | null;
  readonly azureConfig?: { readonly azureZones?: readonly Zone[] | null } | null;
  readonly awsConfig?: { readonly awsZones: readonly (Zone | null)[] } | null;
  readonly openStackConfig?: object | null;
};
/** With one network in Azure, three in AWS. */
export type Zone = {
  readonly name: string | number;
  readonly cidr?: string;
  readonly publicCidr?: string;
  readonly internalCidr?: string;
  readonly workerCidr?: string;
};
export type GardenerUpgrade = {
  readonly kubernetesVersion?: string | null;
  readonly machineType?: string | null;
  readonly machineImage?: string | null;
  readonly machineImageVersion?: string | null;
  readonly diskType?: string | null;
  readonly volumeSizeGB?: number | null;
  readonly purpose?: string | null;
  readonly oidcConfig?: object | null;
  readonly shootNetworkingFilterDisabled?: boolean | null;
  readonly providerSpecificConfig?: ProviderSpecificInput | null;
};
export type GardenerInput = GardenerUpgrade & {
  readonly name: string;
  readonly provider: string;
  readonly region: string;
  readonly kubernetesVersion: string;
  readonly machineType: string;
  readonly seed?: string | null;
  readonly euAccess?: boolean | null;
  readonly providerSpecificConfig: ProviderSpecificInput;
};
export type RuntimeInput = {
  readonly runtimeInput: { readonly name: string; readonly labels?: object | null };
  readonly clusterConfig: {
    readonly gardenerConfig: GardenerInput;
    readonly administrators?: readonly string[] | null;
  };
  readonly kymaConfig?: KymaInput | null;
};
export type ShootInput = {
  readonly gardenerConfig: GardenerUpgrade;
  readonly administrators?: readonly string[] | null;
};

/** What is given takes the place of what was there. */
export function merged(config: GardenerInput, upgrade: GardenerUpgrade): GardenerInput {
  const given = Object.entries(upgrade).filter(([, value]) => value !== null);
  return { ...config, ...Object.fromEntries(given) };
}

const noOidc = {
  clientID: '',
  groupsClaim: '',
  issuerURL: '',
  signingAlgs: [],
  usernameClaim: '',
  usernamePrefix: '',
};

/** As the schema has it. Gardener chooses a seed, unless one was asked for, when the cluster is there. */
export function clusterAnswer(config: GardenerInput, isThere: boolean) {
  const chosen = isThere ? `${config.provider}-${config.region}` : null;
  return {
    ...config,
    seed: config.seed ?? chosen,
    licenceType: null,
    providerSpecificConfig: providerAnswer(config.providerSpecificConfig),
    oidcConfig: config.oidcConfig ?? noOidc,
    shootNetworkingFilterDisabled: config.shootNetworkingFilterDisabled ?? true,
    euAccess: config.euAccess ?? false,
  };
}

function providerAnswer(config: ProviderSpecificInput) {
  const { gcpConfig, azureConfig, awsConfig, openStackConfig } = config;
  if (gcpConfig) return { __typename: 'GCPProviderConfig', ...gcpConfig };
  if (azureConfig) return { __typename: 'AzureProviderConfig', ...azureConfig };
  if (awsConfig) return { __typename: 'AWSProviderConfig', ...awsConfig };
  return {
    __typename: 'OpenStackProviderConfig',
    floatingPoolName: 'FloatingIP-external-kyma-01',
    cloudProfileName: 'converged-cloud-kyma',
    ...openStackConfig,
  };
}
