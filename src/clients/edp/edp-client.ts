import { httpClient, type SystemSettings } from '../http-client.ts';
import { clientCredentials } from '../oauth.ts';
import { limitsIn } from '../system-limits.ts';

/** Event Data Platform: registers a subaccount as a data tenant, so that its usage can be billed. */
export type EdpClient = {
  readonly createDataTenant: (
    tenant: DataTenant,
    secret: string,
    signal: AbortSignal,
  ) => Promise<void>;
  readonly deleteDataTenant: (tenant: DataTenant, signal: AbortSignal) => Promise<void>;
  readonly createMetadata: (
    tenant: DataTenant,
    entry: Metadata,
    signal: AbortSignal,
  ) => Promise<void>;
  readonly deleteMetadata: (tenant: DataTenant, key: string, signal: AbortSignal) => Promise<void>;
};

export type DataTenant = { readonly name: string; readonly environment: string };
export type Metadata = { readonly key: string; readonly value: string };

export type EdpSettings = SystemSettings & {
  readonly authUrl: string;
  readonly namespace: string;
  readonly secret: string;
};

/** What is there already is a conflict: match on this reason. */
export const edpConflict = 'err_edp_internal';

export function edpClient(settings: EdpSettings): EdpClient {
  const { namespace } = settings;
  const http = httpClient(
    'edp',
    settings,
    clientCredentials('edp', {
      ...limitsIn(settings),
      tokenUrl: `${settings.authUrl.replace(/\/+$/, '')}/oauth2/token`,
      clientId: `edp-namespace;${namespace}`,
      clientSecret: settings.secret,
      scopes: ['edp-namespace.read', 'edp-namespace.update'],
    }),
  );
  const tenants = `/namespaces/${encodeURIComponent(namespace)}/dataTenants`;
  const pathOf = ({ name, environment }: DataTenant) =>
    `${tenants}/${encodeURIComponent(name)}/${encodeURIComponent(environment)}`;

  const create = async (what: string, path: string, body: object, signal: AbortSignal) => {
    await http.request({ method: 'POST', path, body, expect: [201, 204], what, signal, classify });
  };
  // What is gone already is as good as removed.
  const remove = async (what: string, path: string, signal: AbortSignal) => {
    await http.request({ method: 'DELETE', path, expect: [201, 204, 404], what, signal, classify });
  };

  return {
    createDataTenant: (tenant, secret, signal) =>
      create('create data tenant', tenants, { ...tenant, secret }, signal),
    deleteDataTenant: (tenant, signal) => remove('delete data tenant', pathOf(tenant), signal),
    createMetadata: (tenant, entry, signal) =>
      create(`create metadata ${entry.key}`, `${pathOf(tenant)}/metadata`, entry, signal),
    deleteMetadata: (tenant, key, signal) =>
      remove(
        `delete metadata ${key}`,
        `${pathOf(tenant)}/metadata/${encodeURIComponent(key)}`,
        signal,
      ),
  };
}

function classify(status: number): { reason: string } {
  if (status === 400) return { reason: 'err_edp_bad_request' };
  if (status === 404) return { reason: 'err_edp_not_found' };
  if (status === 408) return { reason: 'err_edp_timeout' };
  if (status === 409) return { reason: edpConflict };
  return { reason: 'err_edp_other' };
}
