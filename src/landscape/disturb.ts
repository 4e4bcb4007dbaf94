import { createHash } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { systemClock, type Milliseconds } from '#time';
import type { Disturbance, Faults } from './faults.ts';
import { graphqlRequest } from './graphql-fields.ts';
import { newRequest, type RequestLog, type SeenRequest } from './request-log.ts';

/** Notes every request to a system, also to paths that it does not have, and lets the faults have their way with it. */
export function disturb(
  app: FastifyInstance,
  systems: readonly string[],
  { faults, requests }: { readonly faults: Faults; readonly requests: RequestLog },
): void {
  const seen = new WeakMap<object, SeenRequest>();
  const disturbed = new WeakMap<object, Disturbance>();

  const begin = (request: FastifyRequest, reply: FastifyReply, found?: Disturbance) => {
    if (!found) return undefined;
    disturbed.set(request.raw, found);
    if (found.action.kind === 'reset') {
      request.raw.socket.destroy();
      return reply.hijack();
    }
    if (found.action.kind !== 'answer') return undefined;
    const { status, headers, body } = found.action;
    return reply.code(status).headers(headers).send(body);
  };

  app.addHook('onRequest', async (request, reply) => {
    const system = request.url.split(/[/?]/, 2)[1] ?? '';
    if (!systems.includes(system)) return undefined;
    const { method, headers } = request;
    const path = request.url.slice(`/${system}`.length);
    const noted = newRequest({ system, method, path, headers });
    seen.set(request.raw, noted);
    requests.add(noted);
    reply.raw.once('finish', () => {
      const isLost = disturbed.get(request.raw)?.action.kind === 'lost answer';
      if (!isLost) noted.status = reply.raw.statusCode;
    });
    reply.raw.once('close', () => requests.answered(noted));
    return begin(request, reply, faults.match({ system, method, path }));
  });

  // Once the body is there: the system can do its work even if the caller does not wait for it.
  app.addHook('preHandler', async (request, reply) => {
    const noted = seen.get(request.raw);
    const graphql = noted && graphqlRequest(request.body);
    if (noted && graphql) {
      noted.fields = graphql.fields;
      const { method } = request;
      const { system, path } = noted;
      const found = faults.match({ system, method, path, fields: graphql.fields });
      const ended = begin(request, reply, found);
      if (ended) return ended;
    }
    const disturbance = disturbed.get(request.raw);
    if (disturbance?.action.kind === 'delay') await delay(disturbance.action.for, reply.raw);
    if (disturbance?.action.kind !== 'stuck') return undefined;
    const kept = disturbance.answers.get(questionOf(request) ?? '');
    return kept && reply.code(kept.status).type(kept.type).send(kept.body);
  });

  app.addHook('onSend', async (request, reply, payload) => {
    const disturbance = disturbed.get(request.raw);
    switch (disturbance?.action.kind) {
      case 'lost answer':
        request.raw.socket.destroy();
        reply.hijack();
        return payload;
      case 'state':
        return withState(payload, disturbance.action);
      case 'stuck': {
        const question = questionOf(request);
        if (question !== undefined && typeof payload === 'string') {
          const type = String(reply.getHeader('content-type') ?? 'text/plain');
          disturbance.answers.set(question, { status: reply.statusCode, type, body: payload });
        }
        return payload;
      }
      case 'answer':
      case 'delay':
      case 'reset':
      case undefined:
        return payload;
    }
  });
}

/** Undefined for what changes something: that is never answered from memory. */
function questionOf({ method, url, body }: FastifyRequest): string | undefined {
  if (method === 'GET') return url;
  if (!graphqlRequest(body)?.isRead) return undefined;
  return `${url} ${createHash('sha256').update(JSON.stringify(body)).digest('hex')}`;
}

function withState(
  payload: unknown,
  { state, field }: { readonly state: string; readonly field: string },
): unknown {
  if (typeof payload !== 'string') return payload;
  try {
    return JSON.stringify(
      JSON.parse(payload, (key, value: unknown) =>
        key === field && typeof value === 'string' ? state : value,
      ),
    );
  } catch {
    // No JSON: in XML a field is an element, and anything else has no state in it.
    const name = RegExp.escape(field);
    const told = state.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
    return payload.replaceAll(new RegExp(`(?<=<${name}>)[^<]*(?=</${name}>)`, 'g'), () => told);
  }
}

/** Ends early for a caller who has gone: the system does its work all the same. */
async function delay(time: Milliseconds, reply: ServerResponse): Promise<void> {
  if (reply.closed) return;
  const { promise, resolve } = Promise.withResolvers<void>();
  const callOff = systemClock.after(time, resolve);
  reply.once('close', resolve);
  await promise;
  reply.off('close', resolve);
  callOff();
}
