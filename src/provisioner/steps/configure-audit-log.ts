import { done, skip, type Step } from '#engine';
import { minutes, seconds } from '#time';
import type { Services } from '../services.ts';
import { auditLogTenant, hasAuditLog, withAuditLog } from '../shoot/audit-log.ts';
import { upgradedShoot } from '../shoot/upgraded-shoot.ts';
import { ShootGone } from './shoot-state.ts';
import { theRuntime, theShoot } from './the-runtime.ts';

/** Sends the cluster's audit logs to the tenant of its region. Writes nothing where that is so already. */
export const configureAuditLog = (services: Services): Step => ({
  name: 'Configure_Audit_Log',
  about: "Sends the cluster's audit logs to the tenant of its region.",
  domain: 'Gardener',
  owner: 'Team Framefrog',
  retry: { every: seconds(5), upTo: minutes(1), within: services.settings.limits.bindings },
  async run({ operation, signal, log }) {
    const { clients, settings } = services;
    const tenants = await settings.auditLogTenants?.();
    if (!tenants) return skip('no audit log tenants are configured');
    const runtime = await theRuntime(services, { operation });
    const shoot = await theShoot(services, runtime, signal);
    if (!shoot) throw new ShootGone(runtime.shootName);
    const { id, tenant, subaccount, config } = runtime;
    const seed = await clients.gardener.seedProvider(shoot.spec.seedName ?? '', signal);
    if (seed === undefined) return skip('the cluster has no seed that Gardener knows');
    const choice = auditLogTenant(tenants, seed, config.region);
    if (choice.kind === 'none') {
      log.warn({ runtimeId: id }, choice.warning);
      return skip(choice.warning);
    }
    if (hasAuditLog(shoot, choice.tenant)) return done();
    const owner = { runtimeId: id, operationId: operation.id, tenant, subaccount };
    const asItIs = upgradedShoot(shoot, config, { ...owner, settings: settings.shoot });
    await clients.gardener.shoots.apply(withAuditLog(asItIs, choice.tenant), signal);
    return done();
  },
});
