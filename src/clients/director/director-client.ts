import { z } from 'zod';
import { GraphqlError, type ClassifyGraphql } from '../graphql-client.ts';
import { enumName, graphql } from '../graphql-document.ts';
import { SystemError } from '../system-error.ts';
import {
  connectDirector,
  type DirectorSettings,
  type FindRuntimes,
  type Tenant,
} from './director-connection.ts';

/** Compass Director: knows every runtime by its id and labels, and lets its agent connect. As the provisioner needs it. */
export type DirectorClient = {
  /** Gives the runtime's id. Not safe to repeat: look with `findRuntimes` first. */
  readonly registerRuntime: (
    tenant: Tenant,
    runtime: RuntimeRegistration,
    signal: AbortSignal,
  ) => Promise<string>;
  readonly findRuntimes: FindRuntimes;
  readonly runtime: (
    tenant: Tenant,
    id: string,
    signal: AbortSignal,
  ) => Promise<RegisteredRuntime | undefined>;
  /** Takes the place of what was there: labels that are not named are gone afterwards. */
  readonly updateRuntime: (
    tenant: Tenant,
    id: string,
    runtime: RuntimeRegistration & { readonly condition?: RuntimeCondition },
    signal: AbortSignal,
  ) => Promise<void>;
  /** A runtime, or a whole tenant, that Director does not know is as good as unregistered. */
  readonly unregisterRuntime: (tenant: Tenant, id: string, signal: AbortSignal) => Promise<void>;
  readonly requestOneTimeToken: (
    tenant: Tenant,
    id: string,
    signal: AbortSignal,
  ) => Promise<OneTimeToken>;
};

/** Label values are JSON; label keys have letters, digits and underscores. */
export type Labels = Readonly<Record<string, z.infer<typeof Label>>>;
export type RuntimeRegistration = {
  readonly name: string;
  readonly description?: string;
  readonly labels: Labels;
};
export type RegisteredRuntime = RuntimeRegistration & { readonly id: string };
export type RuntimeCondition = 'INITIAL' | 'PROVISIONING' | 'CONNECTED' | 'FAILED';
/** With the token the runtime's agent proves, once, who it is: a secret. */
export type OneTimeToken = { readonly token: string; readonly connectorURL: string };

const Label = z.json();
const Id = z.object({ id: z.string().min(1) });
const Runtime = z.object({
  id: z.string(),
  name: z.string(),
  description: z.string().nullish(),
  labels: z.record(z.string(), Label).nullish(),
});
const Token = z.object({ token: z.string().min(1), connectorURL: z.string().min(1) });

export function directorClient(settings: DirectorSettings): DirectorClient {
  const { ask, call, findRuntimes } = connectDirector(settings, classify);

  return {
    findRuntimes,
    async registerRuntime(tenant, { name, description, labels }, signal) {
      const { id } = await call({
        tenant,
        what: `register runtime ${name}`,
        document: graphql`mutation { result: registerRuntime(in: ${{ name, description, labels }}) { id } }`,
        result: Id,
        signal,
      });
      return id;
    },
    async runtime(tenant, id, signal) {
      const what = `get runtime ${id}`;
      const document = graphql`query { result: runtime(id: ${id}) { id name description labels } }`;
      const found = await ask({ tenant, what, document, result: Runtime, signal });
      if (!found) return undefined;
      const { name, description, labels } = sameRuntime(id, found, what);
      return { id, name, labels: labels ?? {}, ...(description && { description }) };
    },
    async updateRuntime(tenant, id, { name, description, labels, condition }, signal) {
      const what = `update runtime ${id}`;
      const statusCondition = condition && enumName(condition);
      const runtime = { name, description, labels, statusCondition };
      const document = graphql`mutation { result: updateRuntime(id: ${id} in: ${runtime}) { id } }`;
      sameRuntime(id, await call({ tenant, what, document, result: Id, signal }), what);
    },
    async unregisterRuntime(tenant, id, signal) {
      const what = `unregister runtime ${id}`;
      const document = graphql`mutation { result: unregisterRuntime(id: ${id}) { id } }`;
      try {
        sameRuntime(id, await call({ tenant, what, document, result: Id, signal }), what);
      } catch (error) {
        if (!isTenantNotFound(error) && !hasCode(error, 20)) throw error;
      }
    },
    requestOneTimeToken: (tenant, id, signal) =>
      call({
        tenant,
        what: `request a one-time token for runtime ${id}`,
        document: graphql`mutation { result: requestOneTimeTokenForRuntime(id: ${id}) { token connectorURL } }`,
        result: Token,
        signal,
      }),
  };
}

/** Director does not know the global account: then it knows no runtime of it either. */
export const isTenantNotFound = (error: unknown): boolean =>
  hasCode(error, 24) || hasCode(error, 25);

/** Director's codes. What it holds against the request stays so; whatever else goes wrong there may pass. */
const codes: Readonly<Record<number, { readonly name: string; readonly temporary: boolean }>> = {
  10: { name: 'InternalError', temporary: true },
  11: { name: 'UnknownError', temporary: true },
  20: { name: 'NotFound', temporary: false },
  21: { name: 'NotUnique', temporary: false },
  22: { name: 'InvalidData', temporary: false },
  23: { name: 'InsufficientScopes', temporary: true },
  24: { name: 'TenantRequired', temporary: false },
  25: { name: 'TenantNotFound', temporary: false },
  26: { name: 'Unauthorized', temporary: true },
  27: { name: 'InvalidOperation', temporary: false },
};

const classify: ClassifyGraphql = ({ error_code = 0, error }) => ({
  temporary: codes[error_code]?.temporary ?? true,
  reason: error ?? codes[error_code]?.name ?? 'UnknownError',
  component: 'compass director',
});

const hasCode = (error: unknown, code: number) =>
  error instanceof GraphqlError && error.code === code;

function sameRuntime<Found extends { id: string }>(id: string, found: Found, what: string): Found {
  if (found.id === id) return found;
  throw new SystemError('director', `director: cannot ${what}: it answered for ${found.id}`, {
    temporary: true,
    reason: 'err_director_runtime_id_mismatch',
  });
}
