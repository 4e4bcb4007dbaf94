import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import type { Shoot } from '#clients';
import { withExtension, type Extension } from './extensions.ts';
import type { OwnShoot } from './own-shoot.ts';
import { parseFile } from './parse-file.ts';
import { readSpec, type ResourceReference } from './read-spec.ts';

const AuditLogTenant = z.object({
  tenantID: z.string().min(1),
  serviceURL: z.string().min(1),
  /** Names a Secret in the Gardener project. */
  secretName: z.string().min(1),
});
/** Where audit logs go, by the seed's provider and the Shoot's region. */
const AuditLogTenants = z.record(z.string(), z.record(z.string(), AuditLogTenant));
export type AuditLogTenant = z.infer<typeof AuditLogTenant>;
export type AuditLogTenants = z.infer<typeof AuditLogTenants>;

export const parseAuditLogTenants = (text: string): AuditLogTenants =>
  parseFile('the audit log tenants', text, AuditLogTenants);

type Choice =
  | { readonly kind: 'tenant'; readonly tenant: AuditLogTenant }
  | { readonly kind: 'none'; readonly warning: string };

export function auditLogTenant(
  tenants: AuditLogTenants,
  seedProvider: string,
  region: string,
): Choice {
  const ofProvider = Object.hasOwn(tenants, seedProvider) ? tenants[seedProvider] : undefined;
  const tenant = ofProvider && Object.hasOwn(ofProvider, region) ? ofProvider[region] : undefined;
  const warning = `there is no audit log tenant for ${seedProvider} in region ${region}`;
  return tenant ? { kind: 'tenant', tenant } : { kind: 'none', warning };
}

const credentials = 'auditlog-credentials';

/** Nothing is to be written where the Shoot has it already. */
export function hasAuditLog(shoot: Shoot, tenant: AuditLogTenant): boolean {
  const { extensions, resources } = readSpec(shoot);
  const { type, ...entry } = extensionFor(tenant);
  const { type: _type, ...found } = extensions.find((each) => each.type === type) ?? { type };
  const reference = resources.find(({ name }) => name === credentials);
  return isDeepStrictEqual(found, entry) && isDeepStrictEqual(reference, referenceTo(tenant));
}

export function withAuditLog({ metadata, spec }: OwnShoot, tenant: AuditLogTenant): OwnShoot {
  const others = (spec.resources ?? []).filter(({ name }) => name !== credentials);
  return {
    metadata,
    spec: {
      ...spec,
      extensions: withExtension(spec.extensions, extensionFor(tenant)),
      resources: [...others, referenceTo(tenant)],
    },
  };
}

const extensionFor = ({ tenantID, serviceURL }: AuditLogTenant): Extension => ({
  type: 'shoot-auditlog-service',
  providerConfig: {
    apiVersion: 'service.auditlog.extensions.gardener.cloud/v1alpha1',
    kind: 'AuditlogConfig',
    type: 'standard',
    tenantID,
    serviceURL,
    secretReferenceName: credentials,
  },
});

const referenceTo = ({ secretName }: AuditLogTenant): ResourceReference => ({
  name: credentials,
  resourceRef: { apiVersion: 'v1', kind: 'Secret', name: secretName },
});
