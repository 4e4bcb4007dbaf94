// The runtime provisioner: an asynchronous GraphQL service that turns a request into a Gardener Shoot and, if asked, an
// installed Kyma. Requests store an operation; the engine carries it out. What customers order, and why, is the broker's.

export { provisionerApp, sdl, type ServeOptions } from './api/serve.ts';
export { type Api } from './api/api.ts';
export {
  defaultLimits,
  type ProvisionerClients,
  type ProvisionerSettings,
  type Services,
  type StageLimits,
} from './services.ts';
export { provisionerOperations } from './operations/operations.ts';
export { RuntimesTable, secretColumns } from './tables/runtimes-table.ts';
export { parseAuditLogTenants } from './shoot/audit-log.ts';
export { parseMaintenanceWindows } from './shoot/maintenance.ts';
