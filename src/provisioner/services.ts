import type {
  ArtifactsClient,
  DirectorClient,
  GardenerClient,
  Kubeconfig,
  KymaInstaller,
  RuntimeCluster,
} from '#clients';
import type { Database } from '#database';
import { hours, minutes, type Milliseconds } from '#time';
import type { ConfigDefaults } from './config/gardener-config.ts';
import type { AuditLogTenants } from './shoot/audit-log.ts';
import type { ShootSettings } from './shoot/own-shoot.ts';
import type { RuntimesTable } from './tables/runtimes-table.ts';

/** What the provisioner's requests and steps work with. */
export type Services = {
  readonly database: Database;
  readonly runtimes: RuntimesTable;
  readonly clients: ProvisionerClients;
  readonly settings: ProvisionerSettings;
};

export type ProvisionerClients = {
  readonly gardener: GardenerClient;
  /** Without it runtimes get an id of ours, and have no agent. */
  readonly director: DirectorClient | undefined;
  readonly artifacts: ArtifactsClient;
  readonly openCluster: (kubeconfig: Kubeconfig) => RuntimeCluster;
  readonly openInstaller: (kubeconfig: Kubeconfig) => KymaInstaller;
};

export type ProvisionerSettings = {
  /** Of Gardener. */
  readonly project: string;
  readonly defaults: ConfigDefaults;
  readonly shoot: ShootSettings;
  /** Where audit logs go; without it clusters get no extension for them. Asked each time: the file may have changed. */
  readonly auditLogTenants?: () => Promise<AuditLogTenants>;
  readonly operators: {
    readonly l2Group?: string;
    readonly l3Group?: string;
    /** Whether the administrators of a runtime become administrators of its cluster. */
    readonly bindAdministrators: boolean;
  };
  readonly limits: StageLimits;
};

/** How long each stage may take. */
export type StageLimits = Readonly<Record<keyof typeof defaultLimits, Milliseconds>>;

export const defaultLimits = {
  shootCreation: minutes(20),
  clusterDomain: minutes(10),
  clusterCreation: hours(2),
  bindings: minutes(5),
  installationStart: minutes(20),
  installation: hours(22),
  agentConfiguration: hours(1),
  agentConnection: hours(1),
  clusterCleanUp: minutes(20),
  uninstallation: minutes(5),
  clusterDeletion: minutes(30),
  clusterGone: hours(4),
  shootRefresh: minutes(5),
  shootUpgrade: minutes(90),
  upgradeStart: minutes(20),
  hibernation: hours(1),
} as const;
