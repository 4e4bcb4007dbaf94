// The environment broker: an Open Service Broker that gives customers managed Kyma runtimes, and the operations that create,
// change and remove them. How a cluster comes about is the provisioner's.

export { brokerApp, type BrokerAppOptions } from './api/serve.ts';
export { Refusal, refusals } from './errors.ts';
export {
  defaultApiSettings,
  type ApiSettings,
  type StartUpdate,
  type UpdateRequest,
} from './api/settings.ts';
export { startUpdate } from './start-update.ts';
export { startUpgradeCluster, startUpgradeKyma } from './start-upgrade.ts';
export { type ClusterUpgrade, type KymaUpgrade } from './steps/upgrade.ts';
export { Jobs } from './jobs/jobs.ts';
export { type EveryJobSettings } from './jobs/every-job.ts';
export { brokerOperations } from './operations/operations.ts';
export { Fleet } from './fleet/fleet.ts';
export { type Extension, type ExtensionKit, type RuntimeFacts } from './extensions/extension.ts';
export { BadExtension, loadExtensions } from './extensions/load-extensions.ts';
export { BindingsTable, bindingSecrets } from './tables/bindings-table.ts';
export { InstancesTable, instanceSecrets } from './tables/instances-table.ts';
export {
  defaultLimits as defaultBrokerLimits,
  type AvsPlace,
  type AvsPlaces,
  type BrokerClients,
  type BrokerLimits,
  type BrokerSettings,
  type Services,
} from './services.ts';
export { InvalidCatalog, loadCatalog, readCatalog } from './plans/catalog.ts';
export { createPlans, type Plan, type Plans } from './plans/plans.ts';
export { defaultPlanSettings, type PlanSettings } from './plans/plan-settings.ts';
export { type CatalogSettings } from './plans/catalog-body.ts';
export { type ClusterSettings } from './plans/gardener-config.ts';
