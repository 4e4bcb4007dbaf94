import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import { seconds } from '#time';
import { answerError } from './answer-error.ts';
import type { Answer, Api } from './api.ts';
import { discardBody } from './any-body.ts';
import type {
  AsFailure,
  Changes,
  EventStream,
  OperatorRequest,
  OperatorRoute,
} from './operator-route.ts';
import { recordActs } from './record-acts.ts';
import { checkContentType, checkId, parseBody, parseForm, readBody } from './read-request.ts';
import { readQuery } from './read-query.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    changes?: Changes;
    asFailure?: AsFailure;
  }
}

/** The routes of those who run the landscape. */
export function serveOperators(
  app: FastifyInstance,
  api: Api,
  routes: readonly OperatorRoute[],
): void {
  const closing = new AbortController();
  app.addHook('preClose', async () => closing.abort());
  void app.register(async (scope) => {
    scope.setErrorHandler(async (error: { statusCode?: number }, request, reply) => {
      if (error.statusCode === 413) await discardBody(request.raw);
      const asked = { requestId: request.id, log: request.log as Logger }; // serve.ts hands in nothing else
      const { status, body, headers = {} } = answerError(error, asked);
      const text = 'description' in body ? body.description : 'error';
      const { asFailure } = request.routeOptions.config;
      const shown =
        asFailure && status >= 500
          ? asFailure({ status, requestId: request.id, message: String(text) })
          : { error: text };
      return reply.code(status).headers(headers).send(shown);
    });
    recordActs(scope, api.audit, { before: true, asError: (error) => ({ error }) });
    for (const each of routes) serve(scope, each, closing.signal);
  });
}

function serve(app: FastifyInstance, each: OperatorRoute, closing: AbortSignal): void {
  app.route<{ Params: Record<string, string>; Querystring: Record<string, unknown> }>({
    method: each.method,
    url: each.path,
    config: {
      right: each.right,
      ...(each.changes && { changes: each.changes }),
      ...(each.asFailure && { asFailure: each.asFailure }),
    },
    handler: async (request, reply) => {
      const gone = new AbortController();
      reply.raw.once('close', () => gone.abort());
      const signal = AbortSignal.any([gone.signal, closing]);
      const answer = await each.handle(understood(each, request, signal));
      return 'events' in answer ? sendEvents(reply, answer, signal) : send(reply, answer);
    },
  });
}

function understood(
  each: OperatorRoute,
  request: FastifyRequest<{ Params: Record<string, string>; Querystring: Record<string, unknown> }>,
  signal: AbortSignal,
): OperatorRequest {
  const { params, query, caller, headers } = request;
  for (const [name, value] of Object.entries(params)) checkId(name, value);
  const text = typeof request.body === 'string' ? request.body : '';
  if (!each.form) checkContentType(headers['content-type']);
  const given = each.form ? parseForm(text, headers['content-type']) : parseBody(text);
  return {
    params,
    query: each.query && readQuery(each.query, query),
    body: each.body && readBody(each.body, given ?? {}),
    caller,
    log: request.log as Logger, // serve.ts hands in nothing else
    signal,
  };
}

const send = (reply: FastifyReply, { status, body, headers = {} }: Answer) =>
  reply.code(status).headers(headers).send(body);

const silence = seconds(15);

/** Events as they come; between them a comment now and then, so that nobody on the way takes the silence for an end. */
function sendEvents(
  reply: FastifyReply,
  { events }: EventStream,
  signal: AbortSignal,
): FastifyReply {
  const stream = Readable.from(framed(events), { objectMode: false });
  const beat = setInterval(
    () => !reply.raw.destroyed && reply.raw.write(': still here\n\n'),
    silence,
  );
  const end = () => stream.destroy();
  signal.addEventListener('abort', end, { once: true });
  stream.once('close', () => {
    clearInterval(beat);
    signal.removeEventListener('abort', end);
  });
  return reply
    .headers({
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store',
      'x-accel-buffering': 'no',
    })
    .send(stream);
}

async function* framed(events: EventStream['events']): AsyncGenerator<string> {
  yield ': hello\n\n';
  for await (const { event, data, id } of events)
    yield `${id === undefined ? '' : `id: ${id}\n`}event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
}
