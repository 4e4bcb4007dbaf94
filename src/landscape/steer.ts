import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { days } from '#time';
import { Fault } from './faults.ts';
import type { Landscape } from './landscape.ts';

/** The switches, over HTTP. */
export function steer(app: FastifyInstance, systems: readonly string[], world: Landscape): void {
  const OneFault = Fault.extend({ system: z.enum(systems) });

  openToConsoles(app);
  app.get('/_inventory', async () => world.inventory());
  app.get('/_requests', async () => world.requests);
  app.post('/_reset', async (_request, reply) => {
    await world.reset();
    return reply.code(204).send();
  });

  app.get('/_faults', async () => world.faults.list());
  app.put('/_faults', async (request, reply) => {
    const wanted = z.array(OneFault).safeParse(request.body);
    if (!wanted.success) return reply.code(400).send({ message: z.prettifyError(wanted.error) });
    world.faults.remove();
    for (const fault of wanted.data) world.faults.add(fault);
    return world.faults.list();
  });
  app.post('/_faults', async (request, reply) => {
    const fault = OneFault.safeParse(request.body);
    if (!fault.success) return reply.code(400).send({ message: z.prettifyError(fault.error) });
    return reply.code(201).send({ id: world.faults.add(fault.data) });
  });
  app.delete<{ Params: { id: string } }>('/_faults/:id', async ({ params }, reply) => {
    const id = Number(params.id);
    if (!world.faults.list().some((each) => each.id === id))
      return reply.code(404).send({ message: `no fault ${params.id}` });
    world.faults.remove(id);
    return reply.code(204).send();
  });
  app.delete('/_faults', async (_request, reply) => {
    world.faults.remove();
    return reply.code(204).send();
  });

  app.get('/_time', async () => ({ speed: world.time.speed, now: world.time.now() }));
  app.put('/_time', async (request, reply) => {
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

const onThisMachine = /^https?:\/\/(?:127\.0\.0\.1|localhost|\[::1\])(?::\d+)?$/;

/** A console asks from another port of this machine. Pages from elsewhere may not turn the switches. */
function openToConsoles(app: FastifyInstance): void {
  app.addHook('onRequest', async ({ url, headers: { origin } }, reply) => {
    if (!url.startsWith('/_') || origin === undefined) return undefined;
    if (!onThisMachine.test(origin))
      return reply.code(403).send({ message: `pages of ${origin} may not steer this landscape` });
    void reply.headers({ 'access-control-allow-origin': origin, vary: 'origin' });
    return undefined;
  });
  const preflight = { 'access-control-allow-methods': 'GET, PUT, POST, DELETE' };
  for (const path of ['/_inventory', '/_requests', '/_reset', '/_faults', '/_faults/:id', '/_time'])
    app.options(path, async (_request, reply) =>
      reply
        .code(204)
        .headers({ ...preflight, 'access-control-allow-headers': 'content-type' })
        .send(),
    );
}
