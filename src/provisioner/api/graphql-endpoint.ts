import { randomUUID } from 'node:crypto';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import {
  execute,
  type GraphQLError,
  type GraphQLFormattedError,
  type GraphQLSchema,
} from 'graphql';
import type { Logger } from 'pino';
import type { Identity } from '#access';
import { z } from 'zod';
import { apiErrorOf, internalError } from './api-error.ts';
import { askedOnce } from './asked-once.ts';
import {
  clientMistake,
  documentReader,
  invalid,
  shortened,
  type GraphqlRequest,
} from './read-document.ts';

/** What a resolver knows about who asks. */
export type Caller = {
  readonly tenant: string;
  readonly subaccount: string;
  /** The same key again means the same request again. */
  readonly idempotencyKey: string | undefined;
  /** Who they are, if they were asked, and how they may call this request. */
  readonly identity?: Identity | undefined;
  readonly requestId?: string;
};

export type GraphqlEndpoint = {
  readonly path: string;
  readonly schema: GraphQLSchema;
  readonly introspection: boolean;
  readonly log: Logger;
};

const Body = z.object({
  query: z.string(),
  variables: z.record(z.string(), z.unknown()).nullish(),
  operationName: z.string().nullish(),
});

/** GraphQL over HTTP as clients of the original know it: its statuses, and its error objects. */
export function serveGraphql(app: FastifyInstance, endpoint: GraphqlEndpoint): void {
  const { schema, log } = endpoint;
  const readDocument = documentReader(schema, endpoint);

  const answer = async (request: FastifyRequest, reply: FastifyReply, body: GraphqlRequest) => {
    const read = readDocument(body);
    if ('refused' in read) return reply.code(422).send({ errors: [read.refused], data: null });
    if (request.method === 'GET' && read.kind !== 'query')
      return refuse(reply, 406, `a ${read.kind} cannot be sent by GET`);
    const result = await execute({
      schema,
      document: read.document,
      variableValues: body.variables ?? {},
      operationName: body.operationName ?? null,
      contextValue: callerOf(request),
      fieldResolver: askedOnce(),
    });
    // Nothing was executed: the variables do not fit.
    if (!('data' in result)) {
      const errors = result.errors?.map((error) => invalid(error));
      return reply.code(422).send({ errors, data: null });
    }
    const errors = result.errors?.map((error) => formatted(error, log));
    return reply.send({ ...(errors && { errors }), data: result.data });
  };

  app.get<{ Querystring: Record<string, string> }>(endpoint.path, async (request, reply) => {
    const { query, operationName, variables } = request.query;
    const body = Body.safeParse({ query, operationName, variables: variables && json(variables) });
    if (!body.success) return refuse(reply, 400, z.prettifyError(body.error));
    return answer(request, reply, body.data);
  });
  app.post(endpoint.path, async (request, reply) => {
    const body = Body.safeParse(request.body);
    if (!body.success) return refuse(reply, 400, z.prettifyError(body.error));
    return answer(request, reply, body.data);
  });
}

const refuse = (reply: FastifyReply, status: number, message: string) =>
  reply.code(status).send({ errors: [{ message, extensions: clientMistake }], data: null });

function formatted(error: GraphQLError, log: Logger): GraphQLFormattedError {
  const cause = error.originalError ?? error;
  const { message, code, reason, component } = apiErrorOf(cause) ?? unexpected(cause, log);
  const { path, locations } = error;
  return {
    message: shortened(message),
    ...(path && { path }),
    ...(locations && { locations }),
    extensions: { error_code: code, error_reason: reason, error_component: component },
  };
}

function unexpected(error: Error, log: Logger) {
  const errorId = randomUUID();
  log.error({ err: error, errorId }, 'a request failed by our fault');
  return { ...internalError, message: `internal error, known to us as ${errorId}` };
}

function callerOf({ headers, caller, id }: FastifyRequest): Caller {
  const one = (name: string) => {
    const value = headers[name];
    return (Array.isArray(value) ? value[0] : value)?.trim() ?? '';
  };
  return {
    tenant: one('tenant'),
    subaccount: one('sub-account'),
    idempotencyKey: one('idempotency-key') || undefined,
    identity: caller,
    requestId: id,
  };
}

/** What is no JSON is given on as it is, for the schema to refuse. */
function json(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
