import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { MakeSystem } from '../simulated-system.ts';
import { matching, offerings, plans } from './catalog.ts';
import { Order, refused, ServiceInstances, type Answer } from './service-instances.ts';

type Place = {
  Params: { brokerId: string; instanceId: string; bindingId: string };
  Querystring: Readonly<Record<string, string>>;
};

/** Service Manager: offerings and plans to search, and one OSB door to all brokers behind it. */
export const serviceManager: MakeSystem = (surroundings) => {
  const instances = new ServiceInstances(surroundings);

  return {
    name: 'service-manager',
    inventory: () => ({ instances: instances.inventory() }),
    state: instances.state,
    serve(app) {
      readEmptyJson(app);
      app.addHook('onRequest', checkCaller);
      const found =
        (items: readonly object[]) =>
        async (request: FastifyRequest<Place>, reply: FastifyReply) => {
          const matches = matching(items, request.query['fieldQuery'] ?? '');
          if (!matches) return reply.code(400).send(refused(400, 'bad fieldQuery').body);
          return { num_items: matches.length, items: matches };
        };
      app.get<Place>('/v1/service_offerings', found(offerings));
      app.get<Place>('/v1/service_plans', found(plans));

      const instance = '/v1/osb/:brokerId/v2/service_instances/:instanceId';
      const binding = `${instance}/service_bindings/:bindingId`;
      const acceptsIncomplete = ({ query }: FastifyRequest<Place>) =>
        query['accepts_incomplete'] === 'true';

      app.put<Place>(instance, async (request, reply) => {
        const { brokerId, instanceId } = request.params;
        const provision = (order: Order) =>
          instances.provision(brokerId, instanceId, order, acceptsIncomplete(request));
        return give(reply, ordered(request.body, provision));
      });
      app.delete<Place>(instance, async (request, reply) => {
        const deprovision = (order: Order) =>
          instances.deprovision(request.params.instanceId, order, acceptsIncomplete(request));
        return give(reply, ordered(request.query, deprovision));
      });
      app.get<Place>(`${instance}/last_operation`, async ({ params, query }, reply) =>
        give(reply, instances.lastOperation(params.instanceId, query['operation'])),
      );
      app.put<Place>(binding, async ({ params, body }, reply) => {
        const bind = (order: Order) => instances.bind(params.instanceId, params.bindingId, order);
        return give(reply, ordered(body, bind));
      });
      app.delete<Place>(binding, async ({ params, query }, reply) => {
        const unbind = () => instances.unbind(params.instanceId, params.bindingId);
        return give(reply, ordered(query, unbind));
      });
    },
  };
};

const give = (reply: FastifyReply, { status, body }: Answer) => reply.code(status).send(body);

function ordered(input: unknown, act: (order: Order) => Answer): Answer {
  const order = Order.safeParse(input);
  return order.success ? act(order.data) : refused(400, z.prettifyError(order.error));
}

/** Any user with a password: there are no accounts to set up in a simulator. */
async function checkCaller({ headers, url }: FastifyRequest, reply: FastifyReply) {
  const [type, value = ''] = (headers.authorization ?? '').split(' ');
  const isKnown = type === 'Basic' && /^[^:]+:.+/.test(Buffer.from(value, 'base64').toString());
  if (!isKnown) return give(reply, refused(401, 'who is it?'));
  if (url.includes('/v1/osb/') && !/^2\.\d+$/.test(String(headers['x-broker-api-version'])))
    return give(reply, refused(412, 'X-Broker-API-Version is missing'));
  return undefined;
}

/** Callers announce JSON even when they send nothing. */
function readEmptyJson(app: FastifyInstance): void {
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (_request, text, done) => {
    try {
      done(null, text === '' ? undefined : JSON.parse(String(text)));
    } catch {
      done(Object.assign(new Error('the body is no JSON'), { statusCode: 400 }));
    }
  });
}
