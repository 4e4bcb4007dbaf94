import type { WantedShoot } from '#clients';
import type { GardenerConfig } from '../config/gardener-config.ts';
import { newExtensions, type Extension } from './extensions.ts';
import { maintenanceWindow, type MaintenanceWindows } from './maintenance.ts';
import { oidcOnShoot } from './oidc.ts';
import { providerPart } from './provider-part.ts';
import type { ResourceReference } from './read-spec.ts';
import { workerPool } from './worker-pool.ts';

/** Whose cluster it is. */
export type ShootOwner = {
  readonly runtimeId: string;
  /** Of the operation that created it. */
  readonly operationId: string;
  readonly tenant: string;
  /** Empty where the caller did not name one. */
  readonly subaccount: string;
};

/** What an installation decides for all of its clusters. */
export type ShootSettings = {
  readonly auditPolicyConfigMap?: string | undefined;
  readonly maintenanceWindows?: MaintenanceWindows | undefined;
};

/** Everything in a Shoot that is ours. Whatever is left out when it is applied is taken back. */
export type OwnShoot = WantedShoot & {
  readonly spec: {
    readonly extensions: readonly Extension[];
    readonly resources?: readonly ResourceReference[];
    readonly hibernation?: { readonly enabled?: boolean | undefined };
  };
};

const restrictedRegions: Readonly<Record<string, readonly { readonly key: string }[]>> = {
  'me-central2': [{ key: 'ksa-assured-workload' }],
};

export function ownShoot(config: GardenerConfig, owner: ShootOwner, settings: ShootSettings) {
  const part = providerPart(config);
  const { region, seed, purpose, exposureClassName, dnsConfig } = config;
  const { podsCidr, servicesCidr, controlPlaneFailureTolerance } = config;
  const tolerations = Object.hasOwn(restrictedRegions, region)
    ? restrictedRegions[region]
    : undefined;
  return {
    metadata: {
      name: config.name,
      labels: { account: owner.tenant, subaccount: owner.subaccount },
      annotations: annotationsFor(config, owner),
    },
    spec: {
      secretBindingName: config.targetSecret,
      cloudProfileName: part.cloudProfileName,
      region,
      ...(seed !== undefined && { seedName: seed }),
      ...(tolerations && { tolerations }),
      ...(purpose !== undefined && { purpose }),
      ...(exposureClassName !== undefined && { exposureClassName }),
      ...(dnsConfig && { dns: dnsOnShoot(dnsConfig) }),
      ...(controlPlaneFailureTolerance !== undefined && {
        controlPlane: {
          highAvailability: { failureTolerance: { type: controlPlaneFailureTolerance } },
        },
      }),
      kubernetes: {
        version: config.kubernetesVersion,
        enableStaticTokenKubeconfig: false,
        ...apiServer(config, settings),
      },
      networking: {
        type: 'calico',
        nodes: part.nodes,
        ...(podsCidr !== undefined && { pods: podsCidr }),
        ...(servicesCidr !== undefined && { services: servicesCidr }),
      },
      maintenance: {
        autoUpdate: {
          kubernetesVersion: config.enableKubernetesVersionAutoUpdate,
          machineImageVersion: config.enableMachineImageVersionAutoUpdate,
        },
        ...timeWindow(config, settings),
      },
      extensions: newExtensions(config.shootNetworkingFilterDisabled),
      provider: {
        type: config.provider,
        infrastructureConfig: part.infrastructureConfig,
        controlPlaneConfig: part.controlPlaneConfig,
        workersSettings: { sshAccess: { enabled: false } },
        workers: [workerPool(config, part)],
      },
    },
  };
}

function annotationsFor(
  { licenceType, euAccess }: GardenerConfig,
  { runtimeId, operationId }: ShootOwner,
): Record<string, string> {
  return {
    ...operationAnnotations(operationId),
    'kcp.provisioner.kyma-project.io/runtime-id': runtimeId,
    'compass.provisioner.kyma-project.io/runtime-id': runtimeId,
    ...(licenceType !== undefined && {
      'kcp.provisioner.kyma-project.io/licence-type': licenceType,
    }),
    ...(euAccess && { 'support.gardener.cloud/eu-access-for-cluster-nodes': 'true' }),
  };
}

/** Both families: there are readers of the older one. */
export const operationAnnotations = (operationId: string) => ({
  'kcp.provisioner.kyma-project.io/operation-id': operationId,
  'compass.provisioner.kyma-project.io/operation-id': operationId,
});

const dnsOnShoot = ({ domain, providers = [] }: GardenerConfig['dnsConfig'] & {}) => ({
  domain,
  providers: providers.map(({ type, secretName, primary, domainsInclude }) => ({
    type,
    secretName,
    primary,
    domains: { include: domainsInclude },
  })),
});

function apiServer(
  { oidcConfig }: GardenerConfig,
  { auditPolicyConfigMap: name }: ShootSettings,
): { kubeAPIServer?: object } {
  if (!oidcConfig && !name) return {};
  return {
    kubeAPIServer: {
      ...(oidcConfig && { oidcConfig: oidcOnShoot(oidcConfig) }),
      ...(name && { auditConfig: { auditPolicy: { configMapRef: { name } } } }),
    },
  };
}

export function timeWindow(config: GardenerConfig, { maintenanceWindows }: ShootSettings) {
  const choice = maintenanceWindow(config, maintenanceWindows);
  return choice.kind === 'window' && { timeWindow: { begin: choice.begin, end: choice.end } };
}
