import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fastify, LogController, type FastifyBaseLogger, type FastifyInstance } from 'fastify';
import { buildSchema, GraphQLScalarType, type GraphQLSchema } from 'graphql';
import type { Logger } from 'pino';
import type { Registry } from 'prom-client';
import { openFrontDoor, serverOptions, type FrontDoor, type Gate } from '#access';
import { AuditLog } from '#audit';
import { seconds } from '#time';
import type { Api } from './api.ts';
import { authorize } from './authorize.ts';
import { apiErrorOf, badRequest, internalError, statusOf } from './api-error.ts';
import { serveGraphql } from './graphql-endpoint.ts';
import { serveHealth } from './health.ts';
import { serveMetrics } from './metrics.ts';
import { servePage } from './page.ts';
import { serveProgress } from './progress.ts';
import { recorded } from './recorded.ts';
import { resolvers } from './resolvers.ts';
import {
  discardBody,
  readJsonAlone,
  refuseUnknownPlaces,
  unreadableRequests,
} from './unreadable-requests.ts';

export const sdl: string = readFileSync(join(import.meta.dirname, '../schema.graphql'), 'utf8');

export type ServeOptions = {
  readonly log: Logger;
  /** Where the mutations and queries are. */
  readonly path?: string;
  readonly introspection?: boolean;
  /** Who may come in. Without it, everybody. */
  readonly gate?: Gate | undefined;
  readonly frontDoor?: FrontDoor;
  /** Where others count, too: calls to outside systems. */
  readonly metrics?: Registry;
};

/** The provisioner's HTTP side: GraphQL, its page for people, progress as a stream, health and metrics. */
export async function provisionerApp(api: Api, options: ServeOptions): Promise<FastifyInstance> {
  const { log, path = '/graphql', introspection = true, gate, frontDoor = {}, metrics } = options;
  const logger: FastifyBaseLogger = log;
  const app = fastify({
    loggerInstance: logger,
    logController: new LogController({ disableRequestLogging: true }),
    bodyLimit: 4 * 2 ** 20,
    ...serverOptions(frontDoor),
    connectionTimeout: seconds(150),
    ...unreadableRequests,
  });
  const ending = new AbortController();
  app.addHook('preClose', async () => ending.abort());
  await openFrontDoor(app, frontDoor, () => authorize(app, gate));
  readJsonAlone(app);
  refuseUnknownPlaces(app);
  app.setErrorHandler(async (error: { statusCode?: number; message: string }, request, reply) => {
    if (error.statusCode === 413) await discardBody(request.raw);
    const known = apiErrorOf(error) ?? requestErrorOf(error);
    if (!known) log.error({ err: error }, 'a request failed by our fault');
    const { message, code, reason, component } = known ?? internalError;
    const status = error.statusCode === 415 ? 400 : (error.statusCode ?? statusOf(code));
    const extensions = { error_code: code, error_reason: reason, error_component: component };
    return reply.code(status).send({ errors: [{ message, extensions }], data: null });
  });
  const schema = executableSchema(api, new AuditLog(api.database, log), ending.signal);
  serveGraphql(app, { path, schema, introspection, log });
  servePage(app, { path, sdl });
  serveProgress(app, api, ending.signal);
  serveHealth(app, api);
  serveMetrics(app, api, metrics);
  await app.ready();
  return app;
}

/** Of a request that nobody could read. */
function requestErrorOf({ statusCode = 500, message }: { statusCode?: number; message: string }) {
  if (statusCode >= 500) return undefined;
  return badRequest(statusCode === 415 ? 'transport not supported' : message);
}

/** The schema, with a function behind every root field. */
function executableSchema(api: Api, audit: AuditLog, signal: AbortSignal): GraphQLSchema {
  const schema = buildSchema(sdl);
  const { Query, Mutation } = resolvers(api, signal);
  for (const [type, fields] of [
    [schema.getQueryType(), Query],
    [schema.getMutationType(), recorded(audit, Mutation)],
  ] as const) {
    for (const [name, resolve] of Object.entries(fields)) {
      const field = type?.getFields()[name];
      if (!field) throw new Error(`the schema has no field ${name}`);
      field.resolve = resolve as NonNullable<typeof field.resolve>; // the schema says what arrives
    }
  }
  const labels = schema.getType('Labels');
  if (labels instanceof GraphQLScalarType) labels.parseValue = (value) => checkedLabels(value);
  return schema;
}

/** Director is told of labels in the text of a document, where names cannot be any text. */
function checkedLabels(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new TypeError('Labels must be an object');
  checkNames(value);
  return value;
}

function checkNames(value: unknown): void {
  if (typeof value !== 'object' || value === null) return;
  for (const [name, member] of Object.entries(value)) {
    if (!Array.isArray(value) && !/^[_A-Za-z]\w*$/.test(name))
      throw new TypeError(
        `the name of a label is ${JSON.stringify(name)}: must be of letters, digits and underscores, and not begin with a digit`,
      );
    checkNames(member);
  }
}
