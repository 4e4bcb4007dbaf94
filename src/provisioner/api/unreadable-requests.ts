import { isUtf8 } from 'node:buffer';
import { STATUS_CODES, type IncomingMessage, type ServerResponse } from 'node:http';
import type { FastifyInstance, FastifyReply, FastifyServerOptions } from 'fastify';
import { seconds } from '#time';
import { badRequest } from './api-error.ts';

/** As GraphQL tells an error, for those who never come to it. */
export const refusal = (message: string) => {
  const { code, reason, component } = badRequest(message);
  const extensions = { error_code: code, error_reason: reason, error_component: component };
  return { errors: [{ message, extensions }], data: null };
};

/** What cannot be read as HTTP, or asks for no address of ours. */
export const unreadableRequests = {
  frameworkErrors: (error, _request, reply: FastifyReply) => {
    void reply.code(error.statusCode ?? 400).send(refusal(error.message));
  },
  clientErrorHandler: (error, socket) => {
    if (error.code === 'ECONNRESET' || socket.destroyed) return;
    const [status, message] = reasons[error.code] ?? [400, 'the request is not valid HTTP'];
    if (socket.writable) {
      const body = JSON.stringify(refusal(message));
      const head = [
        `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
        'content-type: application/json; charset=utf-8',
        `content-length: ${body.length}`,
        'connection: close',
      ];
      // Whoever still sends would not hear a connection that is closed at once.
      socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
      setTimeout(() => socket.destroy(), patience).unref();
    }
  },
} as const satisfies FastifyServerOptions;

const patience = seconds(1);

const reasons: Readonly<Record<string, readonly [status: number, message: string]>> = {
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'the request did not arrive in time'],
  HPE_HEADER_OVERFLOW: [431, 'the headers are too long: at most 16384 bytes are allowed'],
};

/** JSON in UTF-8, or nothing: other bytes would silently become other characters. */
export function readJsonAlone(app: FastifyInstance): void {
  const parse = app.getDefaultJsonParser('error', 'error');
  app.removeAllContentTypeParsers();
  app.addContentTypeParser<Buffer>(
    'application/json',
    { parseAs: 'buffer' },
    (request, body, done) => {
      if (isUtf8(body)) void parse(request, body.toString(), done);
      else done(Object.assign(new Error('the body is not UTF-8'), { statusCode: 400 }));
    },
  );
}

/** Whoever still sends does not listen: a body that is somewhat too long is let in before it is refused. */
export async function discardBody(request: IncomingMessage): Promise<void> {
  if (request.complete) return;
  let left = 16 * 2 ** 20;
  const { promise, resolve } = Promise.withResolvers<void>();
  request.on('data', (chunk: Buffer) => {
    left -= chunk.length;
    if (left < 0) resolve();
  });
  for (const event of ['end', 'close', 'error']) request.once(event, resolve);
  request.resume();
  await promise;
}

export function refuseUnknownPlaces(app: FastifyInstance): void {
  app.setNotFoundHandler(async ({ method, url }, reply) => {
    const place = url.length > 100 ? `${url.slice(0, 100)}…` : url;
    return reply.code(404).send(refusal(`there is no ${method} ${place}`));
  });
  app.server.on('checkExpectation', (_request: IncomingMessage, response: ServerResponse) => {
    const body = JSON.stringify(refusal('what the header expect asks for is not offered'));
    response.writeHead(417, {
      'content-type': 'application/json; charset=utf-8',
      'content-length': body.length,
      connection: 'close',
    });
    response.end(body);
  });
}
