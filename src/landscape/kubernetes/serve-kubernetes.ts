import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { KubernetesApi } from './kubernetes-api.ts';
import { internalError } from './status-error.ts';
import type { WatchRequest } from './watch.ts';

/** A watcher that reads so slowly is cut off: this many bytes may wait for it. */
const mostUnread = 16 * 2 ** 20;

/**
 * Mounts API servers below a path, found by its parameters: `/runtimes/:id`. A server that is not found is not there at
 * all: the connection breaks, as to a host that does not exist.
 */
export function serveKubernetes(
  app: FastifyInstance,
  path: string,
  find: (parameters: Readonly<Record<string, string>>) => KubernetesApi | undefined,
): void {
  void app.register(async (scope) => {
    // Bodies stay text: what they are depends on the path and on more types than Fastify knows.
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', { parseAs: 'string' }, (_request, body, done) =>
      done(null, body),
    );
    scope.all<{ Params: Record<string, string> }>(`${path}/*`, async (request, reply) => {
      const api = find(request.params);
      if (api) return answer(api, request, reply, `/${request.params['*'] ?? ''}`);
      request.raw.socket.destroy();
      return reply.hijack();
    });
  });
}

function answer(api: KubernetesApi, request: FastifyRequest, reply: FastifyReply, path: string) {
  const { method, headers, body } = request;
  const query = new URL(request.url, 'http://localhost').searchParams;
  let answer;
  try {
    answer = api.answer({ method, path, query, headers, body });
  } catch (error) {
    // A bug of a hook, most likely; the caller sees what a panic of the real one looks like.
    request.log.error(error);
    const { code, body } = internalError(error instanceof Error ? error.message : 'panic');
    return reply.code(code).send(body);
  }
  switch (answer.form) {
    case 'json':
      return reply.code(answer.status).type('application/json').send(JSON.stringify(answer.body));
    case 'bytes':
      return reply.code(answer.status).type(answer.type).send(answer.body);
    case 'watch':
      return stream(api, answer.request, reply);
  }
}

/** One JSON object per line, for as long as the watch lasts. The headers go out before anything happens. */
function stream(api: KubernetesApi, request: WatchRequest, reply: FastifyReply): FastifyReply {
  reply.hijack();
  const { raw } = reply;
  raw.writeHead(200, { 'content-type': 'application/json', 'cache-control': 'no-cache, private' });
  raw.flushHeaders();
  const stop = api.watch(
    request,
    (event) => {
      raw.write(`${JSON.stringify(event)}\n`);
      if (raw.writableLength > mostUnread) raw.destroy();
    },
    () => raw.end(),
  );
  raw.on('close', stop);
  return reply;
}
