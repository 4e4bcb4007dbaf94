import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fastify, LogController, type FastifyBaseLogger, type FastifyInstance } from 'fastify';
import { buildSchema, GraphQLScalarType, type GraphQLSchema } from 'graphql';
import type { Logger } from 'pino';
import { seconds } from '#time';
import type { Api } from './api.ts';
import { serveGraphql } from './graphql-endpoint.ts';
import { serveHealth } from './health.ts';
import { serveMetrics } from './metrics.ts';
import { servePage } from './page.ts';
import { serveProgress } from './progress.ts';
import { resolvers } from './resolvers.ts';

export const sdl: string = readFileSync(join(import.meta.dirname, '../schema.graphql'), 'utf8');

export type ServeOptions = {
  readonly log: Logger;
  /** Where the mutations and queries are. */
  readonly path?: string;
  readonly introspection?: boolean;
};

/** The provisioner's HTTP side: GraphQL, its page for people, progress as a stream, health and metrics. */
export async function provisionerApp(api: Api, options: ServeOptions): Promise<FastifyInstance> {
  const { log, path = '/graphql', introspection = true } = options;
  const logger: FastifyBaseLogger = log;
  const app = fastify({
    loggerInstance: logger,
    logController: new LogController({ disableRequestLogging: true }),
    bodyLimit: 4 * 2 ** 20,
    requestTimeout: seconds(30),
    connectionTimeout: seconds(150),
    forceCloseConnections: true,
  });
  const ending = new AbortController();
  app.addHook('preClose', async () => ending.abort());
  // GraphQL comes as JSON, or not at all.
  app.removeContentTypeParser('text/plain');
  app.setErrorHandler(async (error: { statusCode?: number; message: string }, _request, reply) => {
    const status = error.statusCode ?? 500;
    if (status >= 500) log.error({ err: error }, 'a request failed by our fault');
    const isMediaType = status === 415;
    const message = isMediaType ? 'transport not supported' : error.message;
    const code = status >= 500 ? 500 : 400;
    const reason = status >= 500 ? 'err_provisioner_internal' : 'err_provisioner_bad_request';
    return reply.code(isMediaType ? 400 : status).send({
      errors: [
        {
          message: status >= 500 ? 'internal error' : message,
          extensions: { error_code: code, error_reason: reason, error_component: 'provisioner' },
        },
      ],
      data: null,
    });
  });
  const schema = executableSchema(api, ending.signal);
  serveGraphql(app, { path, schema, introspection, log });
  servePage(app, { path, sdl });
  serveProgress(app, api, ending.signal);
  serveHealth(app, api);
  serveMetrics(app, api);
  await app.ready();
  return app;
}

/** The schema, with a function behind every root field. */
function executableSchema(api: Api, signal: AbortSignal): GraphQLSchema {
  const schema = buildSchema(sdl);
  const { Query, Mutation } = resolvers(api, signal);
  for (const [type, fields] of [
    [schema.getQueryType(), Query],
    [schema.getMutationType(), Mutation],
  ] as const) {
    for (const [name, resolve] of Object.entries(fields)) {
      const field = type?.getFields()[name];
      if (!field) throw new Error(`the schema has no field ${name}`);
      field.resolve = resolve as NonNullable<typeof field.resolve>; // the schema says what arrives
    }
  }
  const labels = schema.getType('Labels');
  if (labels instanceof GraphQLScalarType) labels.parseValue = objectOnly(labels.parseValue);
  return schema;
}

const objectOnly =
  (parse: GraphQLScalarType['parseValue']): GraphQLScalarType['parseValue'] =>
  (value) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value))
      throw new TypeError('Labels must be an object');
    return parse(value);
  };
