import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import type { Act, AuditLog, Details } from '#audit';
import { answerError } from './answer-error.ts';
import { originatorOf } from './broker-headers.ts';

type Recording = {
  /** Whether an act is recorded before it is done, too: then nothing is done that nobody would know of. */
  readonly before: boolean;
  /** How an error looks here. */
  readonly asError: (description: string) => object;
};

const readOnly = new Set(['GET', 'HEAD', 'OPTIONS']);

function changesSomething({ method, routeOptions, query }: FastifyRequest): boolean {
  const { changes = () => true } = routeOptions.config;
  return !readOnly.has(method) && changes(query as Readonly<Record<string, unknown>>); // texts, or lists of them
}

/**
 * Puts every request of this scope that changes something into the audit log, those of known callers who may not do so
 * included. Nobody gets an answer before its entry is committed: if that fails the answer is 503, whatever was done.
 */
export function recordActs(
  scope: FastifyInstance,
  audit: AuditLog,
  { before, asError }: Recording,
): void {
  if (before)
    scope.addHook('preHandler', async (request) => {
      if (changesSomething(request)) await audit.record(actOf(request, 'asked'));
    });
  scope.addHook('onSend', async (request, reply, payload) => {
    const { statusCode } = reply;
    if (!changesSomething(request) || statusCode === 401 || statusCode === 429) return payload;
    try {
      await audit.record(actOf(request, statusCode));
      return payload;
    } catch (error) {
      const log = request.log as Logger; // serve.ts hands in nothing else
      const { status, body, headers = {} } = answerError(error, { requestId: request.id, log });
      reply.code(status).headers(headers).type('application/json; charset=utf-8');
      reply.removeHeader('content-length');
      return JSON.stringify(asError('description' in body ? String(body.description) : 'error'));
    }
  });
}

function actOf(request: FastifyRequest, outcome: Act['outcome']): Act {
  const { caller, method, routeOptions, params, id, headers } = request;
  const { region: _region, ...ids } = params as Readonly<Record<string, string>>; // routes have no others
  const originator = originatorOf(headers, { warn: () => {} }); // said once already
  return {
    actor: caller?.subject ?? 'anybody',
    client: caller?.client ?? '',
    action: `${method} ${routeOptions.url}`,
    subject: Object.values(ids).join('/'),
    outcome,
    requestId: id,
    details: {
      ...namesIn('query', request.query),
      ...namesIn('fields', bodyOf(request.body)),
      ...(originator && { originator: `${originator.platform} ${originator.user ?? ''}`.trim() }),
    },
  };
}

const mostNames = 50;
const name = /^[\w.-]{1,64}$/;

/** Two levels deep: `parameters.region`. What does not look like a name may be a value in the wrong place. */
function namesIn(what: string, given: unknown): Details {
  const names = Object.entries(asObject(given)).flatMap(([outer, value]) => [
    outer,
    ...Object.keys(asObject(value)).map((inner) => `${outer}.${inner}`),
  ]);
  const good = names.filter((each) => each.split('.').every((part) => name.test(part)));
  return good.length === 0 ? {} : { [what]: good.slice(0, mostNames) };
}

const asObject = (value: unknown): object =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? value : {};

/** JSON or a form; what is neither has no names. */
function bodyOf(body: unknown): unknown {
  if (typeof body !== 'string' || body === '') return undefined;
  try {
    return JSON.parse(body);
  } catch {
    return body.includes('=') ? Object.fromEntries(new URLSearchParams(body)) : undefined;
  }
}
