import { z } from 'zod';
import { keeping } from '../kept-state.ts';
import type { MakeSystem } from '../simulated-system.ts';

// Dates come in more than one form: any text is one.
const Tenant = z.object({
  instanceId: z.string().min(1),
  startDateTime: z.string().optional(),
  endDateTime: z.string().optional(),
});
const Creation = z.object({
  orchestrationId: z.string().min(1),
  eventType: z.enum(['0', '1']),
  tenants: z.array(Tenant),
});
const Update = z.object({
  orchestrationId: z.string().min(1),
  tenants: z.array(Tenant.extend({ eventState: z.enum(['1', '2', '3']) })),
});
const Cancellation = z.object({ orchestrationId: z.string().min(1) });

type TenantState = Omit<z.infer<typeof Tenant>, 'instanceId'> & {
  /** How often the customer was told: more than once is a nuisance. */
  announced: number;
  eventState?: string;
};
type MaintenanceEvent = {
  readonly eventType: string;
  readonly tenants: Map<string, TenantState>;
  isCanceled: boolean;
  readonly askedBy: string;
};

/** Customer notifications: events by orchestration, a state per tenant. It never asks who is calling. */
export const spc: MakeSystem = ({ caller }) => {
  const events = new Map<string, MaintenanceEvent>();

  return {
    name: 'spc',
    inventory: () => ({
      maintenanceEvents: [...events].map(([orchestrationId, event]) => ({
        orchestrationId,
        ...event,
        tenants: [...event.tenants].map(([instanceId, state]) => ({ instanceId, ...state })),
      })),
    }),
    state: keeping({ events }),
    serve(app) {
      app.post('/createMaintenanceEvent', async ({ body }, reply) => {
        const wanted = Creation.safeParse(body);
        if (!wanted.success)
          return reply.code(400).send({ message: z.prettifyError(wanted.error) });
        const { orchestrationId, eventType, tenants } = wanted.data;
        const event = events.get(orchestrationId) ?? {
          eventType,
          tenants: new Map<string, TenantState>(),
          isCanceled: false,
          askedBy: caller(),
        };
        if (event.isCanceled || event.eventType !== eventType)
          return reply.code(400).send({ message: 'there is another event of this orchestration' });
        for (const { instanceId, ...dates } of tenants) {
          const announced = (event.tenants.get(instanceId)?.announced ?? 0) + 1;
          event.tenants.set(instanceId, { ...dates, announced });
        }
        const status = events.has(orchestrationId) ? 200 : 201;
        events.set(orchestrationId, event);
        return reply.code(status).send();
      });
      app.patch('/updateMaintenanceEvent', async ({ body }, reply) => {
        const wanted = Update.safeParse(body);
        if (!wanted.success)
          return reply.code(400).send({ message: z.prettifyError(wanted.error) });
        const event = events.get(wanted.data.orchestrationId);
        if (!event) return reply.code(404).send({ message: 'no such event' });
        if (wanted.data.tenants.some(({ instanceId }) => !event.tenants.has(instanceId)))
          return reply.code(404).send({ message: 'no such tenant' });
        for (const { instanceId, ...changes } of wanted.data.tenants) {
          const { announced = 0, ...state } = event.tenants.get(instanceId) ?? {};
          event.tenants.set(instanceId, { ...state, ...changes, announced });
        }
        return reply.code(200).send();
      });
      app.patch('/cancelMaintenanceEvent', async ({ body }, reply) => {
        const wanted = Cancellation.safeParse(body);
        if (!wanted.success)
          return reply.code(400).send({ message: z.prettifyError(wanted.error) });
        const event = events.get(wanted.data.orchestrationId);
        if (!event) return reply.code(404).send({ message: 'no such event' });
        event.isCanceled = true;
        return reply.code(204).send();
      });
    },
  };
};
