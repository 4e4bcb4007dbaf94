import { z } from 'zod';
import { graphqlClient, type ClassifyGraphql, type GraphqlRequest } from '../graphql-client.ts';
import { graphql } from '../graphql-document.ts';
import type { SystemSettings } from '../http-client.ts';
import { clientCredentials } from '../oauth.ts';
import { limitsIn } from '../system-limits.ts';
import { SystemError } from '../system-error.ts';

/** `url` is that of the GraphQL endpoint. */
export type DirectorSettings = SystemSettings & {
  readonly tokenUrl: string;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly scopes?: readonly string[];
};

/** The global account whose runtimes are meant; Director keeps those of different ones apart. */
export type Tenant = string;

export type DirectorRequest<Result> = Omit<GraphqlRequest<Result>, 'headers'> & {
  readonly tenant: Tenant;
};

export type DirectorConnection = {
  /** Null where there must be a result is an error. */
  readonly call: <Result>(request: DirectorRequest<Result>) => Promise<Result>;
  /** Null is an answer, too. */
  readonly ask: <Result>(request: DirectorRequest<Result>) => Promise<Result | null>;
  readonly findRuntimes: FindRuntimes;
};

/** The ids of the runtimes that bear this label: what was registered, even if the answer got lost. */
export type FindRuntimes = (
  tenant: Tenant,
  label: { readonly key: string; readonly value: string },
  signal: AbortSignal,
) => Promise<readonly string[]>;

/** What both of Director's clients share: the way there, the tenant, and the search. */
export function connectDirector(
  { tokenUrl, clientId, clientSecret, scopes, ...settings }: DirectorSettings,
  classify: ClassifyGraphql,
): DirectorConnection {
  const client = graphqlClient(
    'director',
    settings,
    classify,
    clientCredentials('director', {
      ...limitsIn(settings),
      tokenUrl,
      clientId,
      clientSecret,
      scopes: scopes ?? ['runtime:read', 'runtime:write'],
    }),
  );

  const ask: DirectorConnection['ask'] = ({ tenant, result, ...request }) =>
    client.request({ ...request, result: result.nullable(), headers: { tenant } });
  const call: DirectorConnection['call'] = async (request) => {
    const result = await ask(request);
    if (result !== null) return result;
    throw new SystemError('director', `director: cannot ${request.what}: the result is null`, {
      temporary: true,
      reason: 'err_director_nil_response',
    });
  };

  return {
    call,
    ask,
    async findRuntimes(tenant, { key, value }, signal) {
      const { data } = await call({
        tenant,
        what: `find runtimes by ${key}`,
        // The query is compared with the label as JSON, hence the second pair of quotes.
        document: graphql`query { result: runtimes(filter: ${{ key, query: JSON.stringify(value) }}) { data { id } } }`,
        result: z.object({ data: z.array(z.object({ id: z.string().min(1) })) }),
        signal,
      });
      return data.map(({ id }) => id);
    },
  };
}
