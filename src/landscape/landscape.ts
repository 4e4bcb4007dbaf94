import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { fastify, type FastifyInstance } from 'fastify';
import { z } from 'zod';
import { edp } from './edp/edp.ts';
import { Fault, Faults } from './faults.ts';
import { SimulatedTime } from './simulated-time.ts';
import type { MakeSystem, SimulatedSystem } from './simulated-system.ts';

const allSystems: readonly MakeSystem[] = [edp];

export type Landscape = {
  readonly url: string;
  readonly time: SimulatedTime;
  readonly faults: Faults;
  readonly inventory: () => Record<string, Readonly<Record<string, readonly unknown[]>>>;
  /** What was asked of the systems, the oldest first; the last thousand. */
  readonly requests: readonly SeenRequest[];
  readonly [Symbol.asyncDispose]: () => Promise<void>;
};

export type SeenRequest = {
  readonly system: string;
  readonly method: string;
  readonly path: string;
  status: number | 'no answer';
};

/** All systems on one port, a path prefix each, and what steers them below `/_landscape`. */
export async function startLandscape(
  options: {
    readonly port?: number;
    readonly speed?: number;
    readonly systems?: readonly MakeSystem[];
  } = {},
): Promise<Landscape> {
  const { port = 0, speed = 1, systems = allSystems } = options;
  const app = fastify({ bodyLimit: 10 * 2 ** 20, forceCloseConnections: true });
  // Systems speak JSON, forms and YAML; whatever is not JSON is theirs to read.
  app.addContentTypeParser('*', { parseAs: 'string' }, (_request, body, done) => done(null, body));
  const time = new SimulatedTime(speed);
  const faults = new Faults();
  const requests: SeenRequest[] = [];
  const address = () => `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`;

  const all = systems.map((make) => {
    const system: SimulatedSystem = make({ time, url: () => `${address()}/${system.name}` });
    void app.register(
      async (scope) => {
        disturb(scope, system.name, faults, requests);
        system.serve(scope);
      },
      { prefix: `/${system.name}` },
    );
    return system;
  });
  const inventory = () =>
    Object.fromEntries(all.map((system) => [system.name, system.inventory()]));
  void app.register(async (scope) => steer(scope, { time, faults, inventory, requests }), {
    prefix: '/_landscape',
  });

  await app.listen({ port, host: '127.0.0.1' });
  return {
    url: address(),
    time,
    faults,
    inventory,
    requests,
    async [Symbol.asyncDispose]() {
      time.stop();
      await app.close();
    },
  };
}

/** Notes every request of a system, and lets the faults have their way with it. */
function disturb(
  app: FastifyInstance,
  system: string,
  faults: Faults,
  requests: SeenRequest[],
): void {
  const lost = new WeakSet();
  app.addHook('onRequest', async (request, reply) => {
    const path = request.url.slice(`/${system}`.length);
    const seen: SeenRequest = { system, method: request.method, path, status: 'no answer' };
    requests.push(seen);
    if (requests.length > 1_000) requests.shift();
    reply.raw.on('finish', () => {
      seen.status = reply.raw.statusCode;
    });
    const action = faults.match(system, request.method, path);
    switch (action?.kind) {
      case undefined:
        return undefined;
      case 'reset':
        request.raw.socket.destroy();
        return reply.hijack();
      case 'lost answer':
        lost.add(request.raw);
        return undefined;
      case 'delay':
        await Promise.race([
          sleep(action.for, undefined, { ref: false }),
          once(request.raw.socket, 'close'),
        ]);
        return undefined;
      case 'answer':
        return reply.code(action.status).headers(action.headers).send(action.body);
    }
  });
  app.addHook('onSend', async (request, reply, payload) => {
    if (!lost.has(request.raw)) return payload;
    request.raw.socket.destroy();
    reply.hijack();
    return payload;
  });
}

/** The switches, over HTTP. */
function steer(
  app: FastifyInstance,
  world: Pick<Landscape, 'time' | 'faults' | 'inventory' | 'requests'>,
): void {
  app.get('/inventory', async () => world.inventory());
  app.get('/requests', async () => world.requests);
  app.get('/faults', async () => world.faults.list());
  app.post('/faults', async (request, reply) => {
    const fault = Fault.safeParse(request.body);
    if (!fault.success) return reply.code(400).send({ message: z.prettifyError(fault.error) });
    return reply.code(201).send({ id: world.faults.add(fault.data) });
  });
  app.delete<{ Params: { id: string } }>('/faults/:id', async ({ params }, reply) => {
    world.faults.remove(Number(params.id));
    return reply.code(204).send();
  });
  app.delete('/faults', async (_request, reply) => {
    world.faults.remove();
    return reply.code(204).send();
  });
  app.get('/time', async () => ({ speed: world.time.speed, now: world.time.now() }));
  app.put('/time', async (request, reply) => {
    const wish = z
      .strictObject({
        speed: z.number().positive().max(1e6).optional(),
        advance: z.number().positive().optional(),
      })
      .safeParse(request.body);
    if (!wish.success) return reply.code(400).send({ message: z.prettifyError(wish.error) });
    if (wish.data.speed !== undefined) world.time.speed = wish.data.speed;
    if (wish.data.advance !== undefined) world.time.advance(wish.data.advance);
    return { speed: world.time.speed, now: world.time.now() };
  });
}
