import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import type { Milliseconds } from '#time';
import { keeping } from '../kept-state.ts';
import type { Surroundings } from '../simulated-system.ts';
import type { SimulatedTime } from '../simulated-time.ts';
import { soldAs } from './catalog.ts';

export const Order = z.object({
  service_id: z.string().min(1),
  plan_id: z.string().min(1),
  parameters: z.record(z.string(), z.unknown()).default({}),
  organization_guid: z.string().optional(),
  space_guid: z.string().optional(),
});
export type Order = z.infer<typeof Order>;

export type Answer = { readonly status: number; readonly body: object };

type Work = { readonly operation: string; readonly endsAt: Milliseconds };
type Binding = { readonly order: Order; readonly credentials: object };
type Instance = {
  readonly id: string;
  readonly brokerId: string;
  readonly order: Order;
  readonly creation: Work;
  /** Known from the start, seen at the end. */
  readonly flaw: string | undefined;
  deletion: Work | undefined;
  readonly bindings: Map<string, Binding>;
  readonly askedBy: string;
};

/** What was ordered from the brokers. Creation and deletion take their time; states follow from the clock. */
export class ServiceInstances {
  readonly #time: SimulatedTime;
  readonly #caller: () => string;
  readonly #all = new Map<string, Instance>();
  readonly state = keeping({ all: this.#all });

  constructor({ time, caller }: Surroundings) {
    this.#time = time;
    this.#caller = caller;
  }

  inventory(): object[] {
    return [...this.#all.values()]
      .filter((instance) => this.#stateOf(instance) !== 'gone')
      .map((instance) => {
        const { service_id, plan_id } = instance.order;
        const sold = soldAs(instance.brokerId, service_id, plan_id);
        return {
          id: instance.id,
          offering: sold?.offering,
          plan: sold?.plan,
          state: this.#stateOf(instance),
          bindings: [...instance.bindings.keys()],
          askedBy: instance.askedBy,
        };
      });
  }

  provision(brokerId: string, id: string, order: Order, acceptsIncomplete: boolean): Answer {
    const sold = soldAs(brokerId, order.service_id, order.plan_id);
    if (!sold) return refused(400, 'no such service or plan');
    const instance = this.#find(id);
    if (instance) {
      const state = this.#stateOf(instance);
      if (state === 'deleting') return busy;
      if (state === 'failed' || !isDeepStrictEqual(instance.order, order))
        return refused(409, 'the instance exists, and it is a different one');
      return state === 'creating' ? accepted(instance.creation) : { status: 200, body: {} };
    }
    if (sold.takes > 0 && !acceptsIncomplete)
      return refused(422, 'this takes a while', 'AsyncRequired');
    const creation = this.#workOf(sold.takes);
    const flaw = this.#flawOf(order);
    const deletion = undefined;
    const bindings = new Map<string, Binding>();
    const askedBy = this.#caller();
    this.#all.set(id, { id, brokerId, order, creation, flaw, deletion, bindings, askedBy });
    return sold.takes > 0 ? accepted(creation) : { status: 201, body: {} };
  }

  deprovision(id: string, order: Order, acceptsIncomplete: boolean): Answer {
    const instance = this.#find(id);
    if (!instance) return gone;
    if (instance.deletion) return accepted(instance.deletion);
    if (!isSameService(instance.order, order)) return refused(400, 'another service or plan');
    if (instance.bindings.size > 0) return refused(400, 'the instance has bindings');
    const sold = soldAs(instance.brokerId, order.service_id, order.plan_id);
    if (!sold || sold.takes === 0) {
      this.#all.delete(id);
      return { status: 200, body: {} };
    }
    if (!acceptsIncomplete) return refused(422, 'this takes a while', 'AsyncRequired');
    instance.deletion = this.#workOf(sold.takes);
    return accepted(instance.deletion);
  }

  lastOperation(id: string, operation: string | undefined): Answer {
    const instance = this.#all.get(id);
    if (!instance) return refused(404, 'no such instance');
    const { operation: current } = instance.deletion ?? instance.creation;
    if (operation !== undefined && operation !== current) return refused(400, 'no such operation');
    const state = this.#stateOf(instance);
    switch (state) {
      case 'gone':
        return gone;
      case 'creating':
      case 'deleting':
        return {
          status: 200,
          body: { state: 'in progress', description: `${state} the instance` },
        };
      case 'failed':
        return { status: 200, body: { state: 'failed', description: instance.flaw } };
      case 'ready':
        return { status: 200, body: { state: 'succeeded', description: 'the instance is ready' } };
    }
  }

  bind(id: string, bindingId: string, order: Order): Answer {
    const instance = this.#find(id);
    if (!instance) return refused(404, 'no such instance');
    if (!isSameService(instance.order, order)) return refused(400, 'another service or plan');
    if (this.#stateOf(instance) !== 'ready') return busy;
    const existing = instance.bindings.get(bindingId);
    if (existing && !isDeepStrictEqual(existing.order, order))
      return refused(409, 'the binding exists, and it is a different one');
    const binding = existing ?? {
      order,
      credentials: {
        url: `https://${instance.id}.services.example.com`,
        clientid: `sb-${bindingId}`,
        clientsecret: randomUUID(),
      },
    };
    instance.bindings.set(bindingId, binding);
    return { status: existing ? 200 : 201, body: { credentials: binding.credentials } };
  }

  unbind(id: string, bindingId: string): Answer {
    return this.#find(id)?.bindings.delete(bindingId) ? { status: 200, body: {} } : gone;
  }

  #find(id: string): Instance | undefined {
    const instance = this.#all.get(id);
    return instance && this.#stateOf(instance) !== 'gone' ? instance : undefined;
  }

  #stateOf({ creation, deletion, flaw }: Instance) {
    const now = this.#time.now();
    if (deletion) return deletion.endsAt > now ? 'deleting' : 'gone';
    if (creation.endsAt > now) return 'creating';
    return flaw === undefined ? 'ready' : 'failed';
  }

  #workOf(takes: Milliseconds): Work {
    return { operation: randomUUID(), endsAt: this.#time.now() + takes };
  }

  /** The name of an XSUAA application can be taken once. */
  #flawOf({ parameters: { xsappname: name } }: Order): string | undefined {
    const isTaken =
      name !== undefined &&
      [...this.#all.values()].some(
        (other) => this.#stateOf(other) !== 'gone' && other.order.parameters['xsappname'] === name,
      );
    return isTaken ? 'the xsappname is in use' : undefined;
  }
}

export const refused = (status: number, description: string, error?: string): Answer => ({
  status,
  body: { ...(error !== undefined && { error }), description },
});

const gone: Answer = { status: 410, body: {} };
const busy = refused(422, 'something else is in progress, or failed', 'ConcurrencyError');
const accepted = ({ operation }: Work): Answer => ({
  status: 202,
  body: { operation, async: true },
});

const isSameService = (a: Order, b: Order) =>
  a.service_id === b.service_id && a.plan_id === b.plan_id;
