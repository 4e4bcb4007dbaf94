import type { FastifyInstance } from 'fastify';
import type { OperationEvent } from '#engine';
import { checkId, foreignTenant, tenantOf, type Api } from './api.ts';
import { notFound } from './api-error.ts';
import { operationStatus } from './operation-status.ts';

/**
 * `GET /operations/<id>/events`: what an operation has done so far, what it does, and its end, as server-sent events. The
 * timeline comes first, so that nothing is missed by whoever comes later.
 */
export function serveProgress(app: FastifyInstance, api: Api, ending: AbortSignal): void {
  const { engine, clients } = api;
  const isInDirector = clients.director !== undefined;

  app.get<{ Params: { id: string } }>('/operations/:id/events', async (request, reply) => {
    const { id } = request.params;
    const header = request.headers['tenant'];
    const tenant = tenantOf({
      tenant: typeof header === 'string' ? header : '',
      subaccount: '',
      idempotencyKey: undefined,
    });
    checkId('id', id);
    const operation = await engine.get(id);
    if (!operation || operation.account === '') throw notFound(`there is no operation ${id}`);
    if (operation.account !== tenant) throw foreignTenant();

    reply.hijack();
    const { raw } = reply;
    request.raw.socket.setTimeout(0); // operations wait for hours
    raw.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' });
    const send = (event: string, data: unknown) =>
      raw.write(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`);
    const gone = new AbortController();
    raw.on('close', () => gone.abort());
    const over = AbortSignal.any([gone.signal, ending]);

    const status = async () => {
      const now = await engine.get(id);
      if (now)
        send('status', {
          ...operationStatus(engine, now, { isInDirector }),
          explanation: engine.explain(now),
        });
      return now === undefined || now.ended_at !== null;
    };
    const news = Promise.withResolvers<void>();
    let looking = Promise.resolve();
    /** If even that fails the stream ends, and the reader comes back. */
    const look = () => {
      looking = looking
        .then(status)
        .then((isOver) => (isOver ? news.resolve() : undefined))
        .catch(news.reject);
    };
    const tell = (event: OperationEvent) => {
      if (event.operation !== id) return;
      send(event.kind, event);
      look();
    };
    const watching = await engine.watch(tell, look);
    over.addEventListener('abort', () => news.resolve(), { once: true });
    try {
      for (const run of await engine.timeline(id)) send('past', run);
      if (await status()) return reply;
      if (!over.aborted) await news.promise;
    } finally {
      await watching.close();
      raw.end();
    }
    return reply;
  });
}
