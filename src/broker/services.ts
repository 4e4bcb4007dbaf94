import type {
  AccountPool,
  ArtifactsClient,
  AvsClient,
  AwsAccount,
  AwsClient,
  AzureAccount,
  AzureClient,
  CisClient,
  ControlPlaneClient,
  DirectorLabelsClient,
  DnsConfigInput,
  EdpClient,
  IasClient,
  Kubeconfig,
  LifecycleManagerClient,
  LmsClient,
  ProvisionerClient,
  ReconcilerClient,
  RuntimeCluster,
  Shoots,
  SpcClient,
  Tag,
} from '#clients';
import type { Database } from '#database';
import { hours, minutes, type Milliseconds } from '#time';
import type { EveryJobSettings } from './jobs/every-job.ts';
import type { Fleet } from './fleet/fleet.ts';
import type { LegacySettings } from './legacy/legacy-settings.ts';
import type { ClusterSettings } from './plans/gardener-config.ts';
import type { Plans } from './plans/plans.ts';
import type { BindingsTable } from './tables/bindings-table.ts';
import type { InstancesTable } from './tables/instances-table.ts';

/** What the broker's requests and steps work with. */
export type Services = {
  readonly database: Database;
  readonly instances: InstancesTable;
  readonly bindings: BindingsTable;
  readonly fleet: Fleet;
  readonly plans: Plans;
  readonly clients: BrokerClients;
  readonly settings: BrokerSettings;
};

/** Those that may be undefined can be switched off; then their steps are left out, on record. */
export type BrokerClients = {
  readonly provisioner: ProvisionerClient;
  readonly accounts: AccountPool;
  readonly azure: AzureClient;
  readonly azureAccount: AzureAccount;
  readonly aws: AwsClient;
  readonly awsAccount: AwsAccount;
  readonly shoots: Pick<Shoots, 'list' | 'delete'>;
  readonly controlPlane: ControlPlaneClient;
  readonly artifacts: ArtifactsClient;
  readonly openCluster: (kubeconfig: Kubeconfig) => RuntimeCluster;
  readonly avs: AvsClient | undefined;
  readonly edp: EdpClient | undefined;
  readonly ias: IasClient | undefined;
  readonly reconciler: ReconcilerClient | undefined;
  readonly lifecycleManager: LifecycleManagerClient | undefined;
  readonly director: DirectorLabelsClient | undefined;
  readonly lms: LmsClient | undefined;
  readonly spc: SpcClient | undefined;
  readonly cis: CisClient | undefined;
};

export type BrokerSettings = {
  /** For runtimes that nobody gives another one. */
  readonly kymaVersion: string;
  /** Where people look at their runtimes: `https://dashboard.example.com`. */
  readonly dashboardUrl: string;
  /** Shoots have their names below it. */
  readonly shootDomain: string;
  readonly dns?: DnsConfigInput;
  readonly cluster: ClusterSettings;
  readonly avs: AvsPlaces;
  readonly edp: {
    readonly environment: string;
    /** Whether a provisioning fails if EDP does not answer in time. */
    readonly isRequired: boolean;
  };
  readonly limits: BrokerLimits;
  readonly jobs: EveryJobSettings;
  /** Runtimes as in 2020: Kyma 1.x, installed by the provisioner together with the cluster. */
  readonly legacy?: boolean;
  /** Of steps that only the older founding documents have, with or without `legacy`. */
  readonly older?: LegacySettings;
};

/** Below which evaluations those of a runtime hang, and who tests. */
export type AvsPlaces = {
  readonly internal: AvsPlace;
  readonly external: AvsPlace;
  /** For the internal ones of trial and free runtimes. */
  readonly trial?: AvsPlace;
  /** Additional tags, by their classes; off without them. */
  readonly tagClasses?: {
    readonly shootName: number;
    readonly seed: number;
    readonly region: number;
  };
  /** The global accounts whose runtimes are watched during upgrades as ever. */
  readonly alwaysWatched?: 'all' | readonly string[];
};
export type AvsPlace = {
  readonly testerAccessId: number;
  readonly groupId: number;
  readonly parentId: number;
  readonly service?: string;
  readonly tags: readonly Tag[];
};

export type BrokerLimits = {
  /** Provisioning, deprovisioning and update. */
  readonly operation: Milliseconds;
  /** Until there is an account for the cluster. */
  readonly accountLookup: Milliseconds;
  /** Until AvS has taken an evaluation, or its tags. */
  readonly avsInternal: Milliseconds;
  readonly avsExternal: Milliseconds;
  readonly edpRegistration: Milliseconds;
  /** Until the provisioner has taken the request. */
  readonly runtimeRequest: Milliseconds;
  /** Until the provisioner has made the cluster. */
  readonly provisioning: Milliseconds;
  readonly deprovisioning: Milliseconds;
  /** Until the Reconciler has installed Kyma: it would try for ever. */
  readonly reconciling: Milliseconds;
  /** Until the provisioner has changed a cluster for an update. */
  readonly clusterUpdate: Milliseconds;
  /** Upgrades, of Kyma or of a cluster. */
  readonly upgrade: Milliseconds;
  /** Until those who should know of an upgrade have heard of it; then it goes on without. */
  readonly maintenanceNotice: Milliseconds;
};

export const defaultLimits: BrokerLimits = {
  operation: hours(24),
  accountLookup: minutes(10),
  avsInternal: minutes(10),
  avsExternal: minutes(20),
  edpRegistration: minutes(30),
  runtimeRequest: hours(1),
  provisioning: hours(6),
  deprovisioning: hours(5),
  reconciling: hours(2),
  clusterUpdate: minutes(40),
  upgrade: hours(3),
  maintenanceNotice: minutes(10),
};
