import { randomUUID } from 'node:crypto';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import {
  execute,
  GraphQLError,
  NoSchemaIntrospectionCustomRule,
  parse,
  specifiedRules,
  validate,
  type DocumentNode,
  type GraphQLFormattedError,
  type GraphQLSchema,
} from 'graphql';
import type { Logger } from 'pino';
import { z } from 'zod';
import { apiErrorOf } from './api-error.ts';
import { chosenOperation, excessOf, queryLimits } from './query-limits.ts';

/** What a resolver knows about who asks. */
export type Caller = {
  readonly tenant: string;
  readonly subaccount: string;
  /** The same key again means the same request again. */
  readonly idempotencyKey: string | undefined;
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
type Body = z.infer<typeof Body>;

/** GraphQL over HTTP as clients of the original know it: its statuses, and its error objects. */
export function serveGraphql(app: FastifyInstance, endpoint: GraphqlEndpoint): void {
  const rules = endpoint.introspection
    ? specifiedRules
    : [...specifiedRules, NoSchemaIntrospectionCustomRule];

  const answer = async (request: FastifyRequest, reply: FastifyReply, body: Body) => {
    const { schema, log } = endpoint;
    const read = readDocument(schema, rules, body);
    if ('refused' in read) return reply.code(422).send({ errors: [read.refused], data: null });
    if (request.method === 'GET' && read.kind !== 'query')
      return refuse(reply, 406, `a ${read.kind} cannot be sent by GET`);
    const result = await execute({
      schema,
      document: read.document,
      variableValues: body.variables ?? {},
      operationName: body.operationName ?? null,
      contextValue: callerOf(request),
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

const clientMistake = {
  error_code: 400,
  error_reason: 'err_provisioner_bad_request',
  error_component: 'provisioner',
};

function readDocument(
  schema: GraphQLSchema,
  rules: typeof specifiedRules,
  { query, operationName }: Body,
): { document: DocumentNode; kind: string } | { refused: GraphQLFormattedError } {
  let document;
  try {
    document = parse(query, { maxTokens: queryLimits.tokens });
  } catch (error) {
    if (!(error instanceof GraphQLError)) throw error;
    return { refused: invalid(error, 'GRAPHQL_PARSE_FAILED') };
  }
  const excess = excessOf(document);
  if (excess !== undefined) return { refused: invalid(new GraphQLError(excess)) };
  const [complaint] = validate(schema, document, rules, { maxErrors: 1 });
  if (complaint) return { refused: invalid(complaint) };
  const operation = chosenOperation(document, operationName ?? undefined);
  if (!operation) {
    const why = operationName
      ? `there is no operation ${operationName} in the request`
      : 'operationName must say which one of the operations is meant';
    return { refused: invalid(new GraphQLError(why)) };
  }
  return { document, kind: operation.operation };
}

const invalid = (error: GraphQLError, code = 'GRAPHQL_VALIDATION_FAILED') => ({
  message: shortened(error.message),
  ...(error.locations && { locations: error.locations }),
  extensions: { code, ...clientMistake },
});

/** A message may quote what was sent, and that may be long. */
const shortened = (text: string) => (text.length > 1_000 ? `${text.slice(0, 1_000)}…` : text);

function formatted(error: GraphQLError, log: Logger): GraphQLFormattedError {
  const known = apiErrorOf(error.originalError ?? error);
  const { path, locations } = error;
  const place = { ...(path && { path }), ...(locations && { locations }) };
  if (known) {
    const { message, code, reason, component } = known;
    return {
      message,
      ...place,
      extensions: { error_code: code, error_reason: reason, error_component: component },
    };
  }
  const id = randomUUID();
  log.error({ err: error.originalError ?? error, errorId: id }, 'a request failed by our fault');
  return {
    message: `internal error, known to us as ${id}`,
    ...place,
    extensions: {
      error_code: 500,
      error_reason: 'err_provisioner_internal',
      error_component: 'provisioner',
    },
  };
}

function callerOf({ headers }: FastifyRequest): Caller {
  const one = (name: string) => {
    const value = headers[name];
    return (Array.isArray(value) ? value[0] : value)?.trim() ?? '';
  };
  return {
    tenant: one('tenant'),
    subaccount: one('sub-account'),
    idempotencyKey: one('idempotency-key') || undefined,
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
