// One folder per outside system: a narrow interface, and its implementation on the system's own wire protocol. All are
// bounded in time and number, leave a system alone that keeps failing, and throw SystemError. What a failure means for an
// operation, and when to try again, is left to the steps and the engine.

export { SystemError } from './system-error.ts';
export { type SystemSettings } from './http-client.ts';
export {
  edpClient,
  edpConflict,
  type DataTenant,
  type EdpClient,
  type EdpSettings,
  type Metadata,
} from './edp/edp-client.ts';
export {
  avsClient,
  type AvsClient,
  type AvsSettings,
  type Evaluation,
  type Lifecycle,
} from './avs/avs-client.ts';
export {
  evaluationDescription,
  evaluationName,
  type NewEvaluation,
  type Tag,
} from './avs/new-evaluation.ts';
export {
  iasClient,
  type IasClient,
  type IasClientSecret,
  type IasSettings,
} from './ias/ias-client.ts';
export { type ServiceProvider } from './ias/company.ts';
export {
  serviceProviderKinds,
  serviceProviderName,
  type ServiceProviderKind,
} from './ias/service-provider-kinds.ts';
export {
  serviceManagerClient,
  serviceNotUnique,
  type LastOperation,
  type OfferedService,
  type Ordered,
  type ServiceBinding,
  type ServiceInstance,
  type ServiceManagerClient,
  type ServiceManagerSettings,
} from './service-manager/service-manager-client.ts';
export {
  spcClient,
  type AnnouncedTenant,
  type MaintenanceSubject,
  type SpcClient,
  type UpdatedTenant,
} from './spc/spc-client.ts';
export {
  cisClient,
  everyDeletedSubaccount,
  type CisClient,
  type CisSettings,
  type DeletedSubaccounts,
} from './cis/cis-client.ts';
export { type CisVersion } from './cis/event-services.ts';
export {
  lmsClient,
  type LmsClient,
  type LmsSettings,
  type LmsTenantStatus,
  type NewLmsTenant,
} from './lms/lms-client.ts';
export { certificateRequest, type CertificateRequest } from './lms/certificate-request.ts';
export { azureClient, type AzureClient, type AzureSettings } from './azure/azure-client.ts';
export {
  type AzureDeletion,
  type AzureGroup,
  type AzureResource,
  type AzureSubscription,
  type AzureTag,
} from './azure/azure-subscription.ts';
export { type AzureCredentials } from './azure/azure-token.ts';
export { type AzurePoll, type AzureProgress } from './azure/long-running.ts';
export { awsClient, type AwsClient, type AwsSettings } from './aws/aws-client.ts';
export { type AwsEc2, type AwsVolume } from './aws/aws-ec2.ts';
export { signatureOf, type AwsCredentials } from './aws/signature-v4.ts';
export { GraphqlError } from './graphql-client.ts';
export {
  directorClient,
  isTenantNotFound,
  type DirectorClient,
  type OneTimeToken,
  type RegisteredRuntime,
  type RuntimeCondition,
  type RuntimeRegistration,
} from './director/director-client.ts';
export { type DirectorSettings } from './director/director-connection.ts';
export {
  directorLabelsClient,
  type ConsoleUrl,
  type DirectorLabelsClient,
} from './director/director-labels-client.ts';
export {
  configuredComponents,
  type ClusterConfiguration,
  type ComponentChoice,
  type Override,
} from './reconciler/cluster-configuration.ts';
export {
  clusterNotFound,
  clusterStatuses,
  reconcilerClient,
  type ClusterState,
  type ClusterStatus,
  type ReconcilerClient,
} from './reconciler/reconciler-client.ts';
export {
  provisionerClient,
  provisionerNotFound,
  type ProvisionerCaller,
  type ProvisionerClient,
} from './provisioner/provisioner-client.ts';
export { Kubeconfig } from './provisioner/kubeconfig.ts';
export {
  type ConfigEntry,
  type DnsConfigInput,
  type GardenerConfigInput,
  type KymaComponentInput,
  type KymaConfigInput,
  type OidcConfig,
  type ProviderInput,
  type ProviderSpecificInput,
  type ProvisionRuntimeInput,
  type UpgradeShootInput,
} from './provisioner/runtime-input.ts';
export {
  runtimeOperationStates,
  type RuntimeClusterConfig,
  type RuntimeLastError,
  type RuntimeOperation,
  type RuntimeOperationState,
  type RuntimeProgress,
  type RuntimeStatus,
} from './provisioner/runtime-status.ts';
export { gardenerClient, type GardenerClient } from './gardener/gardener-client.ts';
export { type AwsAccount, type AzureAccount } from './gardener/account-credentials.ts';
export { type GardenerSettings } from './gardener/project.ts';
export {
  noAccountLeft,
  type AccountOwner,
  type AccountPool,
  type ReleasedAccount,
  type ReleaseOutcome,
} from './gardener/account-pool.ts';
export { type Shoots } from './gardener/shoots.ts';
export { runtimeIdOf, type Shoot, type WantedShoot } from './gardener/shoot.ts';
export { noSuchKind } from './kubernetes/kubernetes-answer.ts';
export {
  kubernetesConnection,
  type KubernetesConnection,
  type KubernetesSettings,
} from './kubernetes/kubernetes-connection.ts';
export {
  lifecycleManagerClient,
  type LifecycleManagerClient,
} from './lifecycle-manager/lifecycle-manager-client.ts';
export {
  kymaMetadata,
  kymaName,
  kymaResource,
  KymaTemplate,
  type KymaApiVersion,
  type KymaFacts,
  type KymaMetadata,
  type KymaResource,
} from './lifecycle-manager/kyma-resource.ts';
export { type KymaPlace } from './lifecycle-manager/object-path.ts';
export { type Kyma } from './lifecycle-manager/kyma.ts';
export {
  controlPlaneClient,
  type ControlPlaneClient,
} from './control-plane/control-plane-client.ts';
export {
  type ControlPlaneSettings,
  type PlanAtVersion,
} from './control-plane/configuration-objects.ts';
export { configAmbiguous, configMalformed, configNotFound } from './control-plane/config-error.ts';
export { type AdditionalComponent, type BrokerConfig } from './control-plane/broker-config.ts';
export { type DefaultOverride, type DefaultOverrides } from './control-plane/default-overrides.ts';
export { type MaintenancePolicy } from './control-plane/maintenance-policy.ts';
export { SecretValue } from './control-plane/secret-value.ts';
export { runtimeClusters, type RuntimeCluster } from './runtime-cluster/runtime-cluster.ts';
export { checkKubeconfig } from './runtime-cluster/check-kubeconfig.ts';
export {
  BtpCredentials,
  differingKeys,
  type BtpCredentialKey,
} from './runtime-cluster/btp-credentials.ts';
export { type BtpCredentialsSecret } from './runtime-cluster/btp-credentials-secret.ts';
export { type BtpKind, type BtpResources } from './runtime-cluster/btp-resources.ts';
export { type OperatorAccess } from './runtime-cluster/operator-access.ts';
export { type AgentConfiguration } from './runtime-cluster/agent-configuration.ts';
export { type GrantedAccess, type TemporaryAccess } from './runtime-cluster/temporary-access.ts';
export { clientMetrics } from './client-metrics.ts';
export { type Call, type SystemLimits } from './system-limits.ts';
export {
  artifactsClient,
  publicArtifacts,
  type ArtifactsClient,
  type ArtifactsSettings,
} from './artifacts/artifacts-client.ts';
export {
  kymaInstaller,
  kymaInstallerOn,
  type KymaInstaller,
} from './kyma-installer/kyma-installer.ts';
export { type ComponentList, type ListedComponent } from './artifacts/component-list.ts';
export { isDevelopmentVersion } from './artifacts/kyma-version.ts';
export { type KymaInstallation } from './kyma-installer/kyma-installation.ts';
export {
  type InstallationError,
  type InstallationState,
} from './kyma-installer/installation-state.ts';
export { type AgentConnection, type RuntimeAgent } from './kyma-installer/runtime-agent.ts';
export { type ServiceCatalog } from './kyma-installer/service-catalog.ts';
