import { z } from 'zod';
import { httpClient, type HttpRequest, type SystemSettings } from '../http-client.ts';
import { SystemError } from '../system-error.ts';

/** Logging: a tenant per global account and region, and a certificate for each runtime that sends its logs there. */
export type LmsClient = {
  /** The new tenant's ID. LMS cannot be asked for a tenant by name: what is asked for twice exists twice. */
  readonly createTenant: (tenant: NewLmsTenant, signal: AbortSignal) => Promise<string>;
  readonly tenantStatus: (id: string, signal: AbortSignal) => Promise<LmsTenantStatus>;
  /** Where the tenant is: `kibana.<dns>`, `forward.<dns>`. */
  readonly tenantDns: (id: string, signal: AbortSignal) => Promise<string>;
  /** Where the signed certificate will be found. */
  readonly requestCertificate: (id: string, csr: string, signal: AbortSignal) => Promise<string>;
  /** PEM; undefined until it is signed. */
  readonly certificate: (url: string, signal: AbortSignal) => Promise<string | undefined>;
  /** PEM; undefined until there is one. */
  readonly caCertificate: (id: string, signal: AbortSignal) => Promise<string | undefined>;
};

export type NewLmsTenant = { readonly name: string; readonly region: string };
export type LmsTenantStatus = { readonly ready: boolean; readonly kibanaState: string };

export type LmsSettings = SystemSettings & {
  readonly token: string;
  readonly clusterType: 'ha' | 'single-node';
  readonly environment: string;
  readonly samlTenant: string;
};

const Created = z.object({ id: z.string().min(1) });
const Status = z.object({
  kibanaDNSResolves: z.boolean().default(false),
  elasticsearchDNSResolves: z.boolean().default(false),
  kibanaState: z.string().default(''),
});
const Tenant = z.object({ dns: z.string().min(1) });
const Callback = z
  .object({ callbackUrl: z.string().optional(), callbackURL: z.string().optional() })
  .transform(({ callbackUrl, callbackURL }) => callbackUrl ?? callbackURL)
  .pipe(z.string({ error: 'no callbackUrl' }).min(1));
const Certificate = z.object({ cert: z.string().min(1) });

/** LMS publishes no list of its success statuses: whatever is no error and brings a body. */
const success = [200, 201, 202];

export function lmsClient(settings: LmsSettings): LmsClient {
  const { token, clusterType, environment, samlTenant } = settings;
  const http = httpClient('lms', settings, {
    header: async () => ({ 'X-LMS-Token': token }),
  });
  const pathOf = (id: string) => `/tenants/${encodeURIComponent(id)}`;

  async function ask<Answer>(
    request: Omit<HttpRequest<Answer>, 'expect'> & { answer: z.ZodType<Answer> },
  ): Promise<Answer> {
    return (await http.request({ classify: permanent, ...request, expect: success })).body;
  }

  async function readCertificate(what: string, path: string, signal: AbortSignal) {
    try {
      return (await ask({ method: 'GET', path, answer: Certificate, what, signal })).cert;
    } catch (error) {
      if (error instanceof SystemError && error.status === 404) return undefined;
      throw error;
    }
  }

  return {
    async createTenant({ name, region }, signal) {
      const body = {
        name,
        region,
        samlGroups: ['skr-logging-viewer'],
        clusterType,
        datacenter: 'all',
        environment,
        project: 'kyma',
        samlTenant,
        costcenter: 0,
        globalAccountID: '', // LMS knows the field, and has always got it empty
      };
      const { id } = await ask({
        method: 'POST',
        path: '/tenants',
        body,
        answer: Created,
        classify: bodyFirst,
        what: 'create a tenant',
        signal,
      });
      return id;
    },
    async tenantStatus(id, signal) {
      const status = await ask({
        method: 'GET',
        path: `${pathOf(id)}/status`,
        answer: Status,
        classify: bodyFirst,
        what: `get the status of tenant ${id}`,
        signal,
      });
      return {
        ready: status.kibanaDNSResolves && status.elasticsearchDNSResolves,
        kibanaState: status.kibanaState,
      };
    },
    async tenantDns(id, signal) {
      const { dns } = await ask({
        method: 'GET',
        path: pathOf(id),
        answer: Tenant,
        classify: bodyFirst,
        what: `get tenant ${id}`,
        signal,
      });
      return dns;
    },
    requestCertificate: (id, csr, signal) =>
      ask({
        method: 'POST',
        path: `${pathOf(id)}/certs`,
        body: { certId: 0, csr },
        answer: Callback,
        what: `request a certificate of tenant ${id}`,
        signal,
      }),
    async certificate(url, signal) {
      const what = 'get a signed certificate';
      return readCertificate(what, withinLms(url, settings.url), signal);
    },
    caCertificate: (id, signal) =>
      readCertificate(`get the CA certificate of tenant ${id}`, `${pathOf(id)}/certs/ca`, signal),
  };
}

/** The token is sent along, so a URL that LMS itself names must be its own. */
function withinLms(url: string, base: string): string {
  const whole = URL.parse(url, `${base.replace(/\/+$/, '')}/`);
  if (whole?.origin === new URL(base).origin) return whole.href;
  throw new SystemError('lms', 'lms: cannot get a signed certificate: its URL is not of LMS', {
    temporary: false,
    reason: 'foreign_url',
  });
}

/** LMS means every status from 400 on for good: only a broken connection is worth a repetition by itself. */
const permanent = () => ({ temporary: false });

/** Calls about tenants look at the body before the status: an error page is a wrong answer first of all. */
const bodyFirst = (_status: number, body: string) =>
  isJson(body) ? permanent() : { ...permanent(), reason: 'wrong_answer' };

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
