import type { ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fastify, type FastifyInstance } from 'fastify';
import { z } from 'zod';
import { days, systemClock, type Milliseconds } from '#time';
import { avs } from './avs/avs.ts';
import { azure } from './azure/azure.ts';
import { cis } from './cis/cis.ts';
import { director } from './director/director.ts';
import { edp } from './edp/edp.ts';
import { Fault, Faults } from './faults.ts';
import { gardener } from './gardener/gardener.ts';
import { ias } from './ias/ias.ts';
import { issuer } from './issuer/issuer.ts';
import { lms } from './lms/lms.ts';
import { provisioner } from './provisioner/provisioner.ts';
import { reconciler } from './reconciler/reconciler.ts';
import { serviceManager } from './service-manager/service-manager.ts';
import { spc } from './spc/spc.ts';
import { SimulatedTime } from './simulated-time.ts';
import type { MakeSystem, SimulatedSystem } from './simulated-system.ts';

const allSystems: readonly MakeSystem[] = [
  issuer,
  gardener,
  provisioner,
  director,
  avs,
  edp,
  ias,
  lms,
  azure,
  serviceManager,
  reconciler,
  spc,
  cis,
];

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
    /** Told of every request to a system once it has its answer, or will have none. */
    readonly onAnswer?: (request: SeenRequest) => void;
  } = {},
): Promise<Landscape> {
  const { port = 0, speed = 1, systems = allSystems, onAnswer = () => {} } = options;
  const app = fastify({
    bodyLimit: 10 * 2 ** 20,
    forceCloseConnections: true,
    routerOptions: { maxParamLength: 1_000 }, // names of clouds and clusters are long
  });
  // Systems speak JSON, forms and YAML; whatever is not JSON is theirs to read.
  app.addContentTypeParser('*', { parseAs: 'string' }, (_request, body, done) => done(null, body));
  const time = new SimulatedTime(speed);
  const faults = new Faults();
  const requests: SeenRequest[] = [];
  const address = () => `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`;

  const all = systems.map((make) => {
    const system: SimulatedSystem = make({ time, url: () => `${address()}/${system.name}` });
    return system;
  });
  const names = all.map(({ name }) => name);
  disturb(app, names, { faults, requests, onAnswer });
  for (const system of all) {
    void app.register(async (scope) => system.serve(scope), { prefix: `/${system.name}` });
  }
  const inventory = () =>
    Object.fromEntries(all.map((system) => [system.name, system.inventory()]));
  void app.register(async (scope) => steer(scope, names, { time, faults, inventory, requests }), {
    prefix: '/_landscape',
  });
  const stop = async () => {
    time.stop();
    await app.close();
  };

  try {
    await app.listen({ port, host: '127.0.0.1' });
  } catch (error) {
    await stop();
    throw error;
  }
  return { url: address(), time, faults, inventory, requests, [Symbol.asyncDispose]: stop };
}

/** Notes every request to a system, also to paths that it does not have, and lets the faults have their way with it. */
function disturb(
  app: FastifyInstance,
  systems: readonly string[],
  {
    faults,
    requests,
    onAnswer,
  }: { faults: Faults; requests: SeenRequest[]; onAnswer: (request: SeenRequest) => void },
): void {
  const lost = new WeakSet();
  const delayed = new WeakMap<object, Milliseconds>();
  app.addHook('onRequest', async (request, reply) => {
    const system = request.url.split(/[/?]/, 2)[1] ?? '';
    if (!systems.includes(system)) return undefined;
    const path = request.url.slice(`/${system}`.length);
    const seen: SeenRequest = { system, method: request.method, path, status: 'no answer' };
    requests.push(seen);
    if (requests.length > 1_000) requests.shift();
    reply.raw.once('finish', () => {
      if (!lost.has(request.raw)) seen.status = reply.raw.statusCode;
    });
    reply.raw.once('close', () => onAnswer(seen));
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
        delayed.set(request.raw, action.for);
        return undefined;
      case 'answer':
        return reply.code(action.status).headers(action.headers).send(action.body);
    }
  });
  // Once the body is there: the system can do its work even if the caller does not wait for it.
  app.addHook('preHandler', async (request, reply) => {
    const time = delayed.get(request.raw);
    if (time !== undefined) await delay(time, reply.raw);
  });
  app.addHook('onSend', async (request, reply, payload) => {
    if (!lost.has(request.raw)) return payload;
    request.raw.socket.destroy();
    reply.hijack();
    return payload;
  });
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

/** The switches, over HTTP. */
function steer(
  app: FastifyInstance,
  systems: readonly string[],
  world: Pick<Landscape, 'time' | 'faults' | 'inventory' | 'requests'>,
): void {
  app.get('/inventory', async () => world.inventory());
  app.get('/requests', async () => world.requests);
  app.get('/faults', async () => world.faults.list());
  app.post('/faults', async (request, reply) => {
    const ofThese = Fault.extend({ system: z.enum(systems) });
    const fault = ofThese.safeParse(request.body);
    if (!fault.success) return reply.code(400).send({ message: z.prettifyError(fault.error) });
    return reply.code(201).send({ id: world.faults.add(fault.data) });
  });
  app.delete<{ Params: { id: string } }>('/faults/:id', async ({ params }, reply) => {
    const id = Number(params.id);
    if (!world.faults.list().some((each) => each.id === id))
      return reply.code(404).send({ message: `no fault ${params.id}` });
    world.faults.remove(id);
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
        advance: z.number().positive().max(days(3_650)).optional(),
      })
      .safeParse(request.body);
    if (!wish.success) return reply.code(400).send({ message: z.prettifyError(wish.error) });
    if (wish.data.speed !== undefined) world.time.speed = wish.data.speed;
    if (wish.data.advance !== undefined) world.time.advance(wish.data.advance);
    return { speed: world.time.speed, now: world.time.now() };
  });
}
