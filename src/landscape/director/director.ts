import { graphql, GraphQLError, parse, validate } from 'graphql';
import { z } from 'zod';
import { keeping } from '../kept-state.ts';
import type { MakeSystem } from '../simulated-system.ts';
import { Tokens } from '../tokens.ts';
import { directorSchema } from './director-schema.ts';
import { refuse, Runtimes, type RuntimeInput } from './runtimes.ts';

type Filter = { readonly key: string; readonly query?: string | null };
type Page = { filter?: readonly Filter[]; first: number; after?: string };

/** Where agents bring their one-time tokens. */
const connector = '/connector/graphql';

/** Compass Director: GraphQL on a schema like the real one's, for whoever brings a token and names a tenant. */
export const director: MakeSystem = (surroundings) => {
  const { time, url } = surroundings;
  const runtimes = new Runtimes(surroundings);
  const tokens = new Tokens(time, (id, secret) => id !== '' && secret !== '');

  /** The root fields, for one tenant; any name of one will do. */
  const rootFor = (tenant: string) => ({
    runtime: ({ id }: { id: string }) => runtimes.find(tenant, id)?.answer() ?? null,
    runtimes: ({ filter = [], first, after = '0' }: Page) => {
      const fitting = runtimes.of(tenant).filter((runtime) => runtime.fits(filter));
      const start = Number(after) || 0;
      const end = start + first;
      return {
        data: fitting.slice(start, end).map((each) => each.answer()),
        pageInfo: {
          startCursor: String(start),
          endCursor: String(end),
          hasNextPage: end < fitting.length,
        },
        totalCount: fitting.length,
      };
    },
    registerRuntime: ({ in: input }: { in: RuntimeInput }) =>
      runtimes.register(tenant, input).answer(),
    updateRuntime: ({ id, in: input }: { id: string; in: RuntimeInput }) => {
      const runtime = runtimes.get(tenant, id);
      runtime.update(input);
      return runtime.answer();
    },
    unregisterRuntime: ({ id }: { id: string }) => runtimes.remove(tenant, id).answer(),
    setRuntimeLabel: ({
      runtimeID,
      key,
      value,
    }: {
      runtimeID: string;
      key: string;
      value: unknown;
    }) => {
      runtimes.get(tenant, runtimeID).label({ [key]: value });
      return { key, value };
    },
    requestOneTimeTokenForRuntime: ({ id }: { id: string }) => {
      const { token, expiresAt } = runtimes.get(tenant, id).issueToken();
      return {
        token,
        connectorURL: `${url()}${connector}`,
        used: false,
        createdAt: time.date().toISOString(),
        expiresAt: expiresAt.toISOString(),
        type: 'Runtime',
      };
    },
  });

  return {
    name: 'director',
    inventory: () => ({ runtimes: runtimes.all().map((runtime) => runtime.summary()) }),
    state: keeping({ runtimes, tokens }),
    serve(app) {
      tokens.serve(app, '/oauth2/token');
      app.post('/graphql', { onRequest: tokens.check }, async ({ body, headers }, reply) => {
        const asked = z.object({ query: z.string() }).safeParse(body);
        if (!asked.success) return reply.code(400).send({ errors: [{ message: 'no query' }] });
        const source = asked.data.query;
        const complaints = complaintsAbout(source);
        if (complaints.length > 0) return reply.code(422).send({ errors: complaints, data: null });
        const tenant = String(headers['tenant'] ?? '');
        if (tenant === '') {
          const missing = refuse('TenantRequired', 'Tenant is required');
          return { errors: [missing.toJSON()], data: null };
        }
        return graphql({ schema: directorSchema, source, rootValue: rootFor(tenant) });
      });
      app.post(connector, async ({ headers }) => {
        try {
          runtimes.connect(String(headers['connector-token'] ?? ''));
        } catch (error) {
          if (!(error instanceof GraphQLError)) throw error;
          return { errors: [error.toJSON()], data: null };
        }
        const managementPlaneInfo = {
          directorURL: `${url()}/graphql`,
          certificateSecuredConnectorURL: `${url()}${connector}`,
        };
        return { data: { result: { managementPlaneInfo } } };
      });
    },
  };
};

/** A document that does not fit the schema is refused as a whole, without a code. */
function complaintsAbout(source: string): readonly unknown[] {
  try {
    return validate(directorSchema, parse(source)).map((error) => error.toJSON());
  } catch (error) {
    return [error instanceof GraphQLError ? error.toJSON() : { message: 'not readable' }];
  }
}
