import { createHash } from 'node:crypto';
import { z } from 'zod';
import { httpClient, type HttpRequest, type SystemSettings } from '../http-client.ts';
import { isTemporaryStatus, SystemError } from '../system-error.ts';

const system = 'service-manager';

/** Service Manager: orders service instances for a runtime from the brokers behind it, through their common OSB door. */
export type ServiceManagerClient = {
  /** The one offering and plan of these names; none or several is a permanent failure. */
  readonly findService: (
    offering: string,
    plan: string,
    signal: AbortSignal,
  ) => Promise<OfferedService>;
  /** Safe to repeat: the same id and parameters give the same instance. */
  readonly provision: (
    instance: ServiceInstance,
    parameters: object,
    signal: AbortSignal,
  ) => Promise<Ordered>;
  /** Also of what never existed, and of what is gone. */
  readonly deprovision: (instance: ServiceInstance, signal: AbortSignal) => Promise<Ordered>;
  readonly lastOperation: (
    instance: ServiceInstance,
    operation: string | undefined,
    signal: AbortSignal,
  ) => Promise<LastOperation>;
  readonly bind: (
    instance: ServiceInstance,
    bindingId: string,
    parameters: object,
    signal: AbortSignal,
  ) => Promise<ServiceBinding>;
  readonly unbind: (
    instance: ServiceInstance,
    bindingId: string,
    signal: AbortSignal,
  ) => Promise<void>;
};

/** A plan, as its own broker knows it. */
export type OfferedService = {
  readonly brokerId: string;
  readonly serviceId: string;
  readonly planId: string;
};

/** The id is chosen, and stored, before the instance is ordered. */
export type ServiceInstance = { readonly id: string; readonly service: OfferedService };

export type Ordered =
  | { readonly state: 'succeeded' }
  | { readonly state: 'in progress'; readonly operation: string | undefined };

/** 'in progress', 'succeeded', 'failed', or 'gone' once a deprovisioning is over. */
export type LastOperation = { readonly state: string; readonly description: string };

/** The credentials are secret. */
export type ServiceBinding = { readonly credentials: Readonly<Record<string, unknown>> };

export type ServiceManagerSettings = SystemSettings & {
  readonly username: string;
  readonly password: string;
};

/** Not exactly one offering or plan has the name: match on this reason. */
export const serviceNotUnique = 'err_service_manager_not_unique';

const Offerings = z.object({
  items: z.array(z.object({ id: z.string(), broker_id: z.string(), catalog_id: z.string() })),
});
const Plans = z.object({ items: z.array(z.object({ catalog_id: z.string() })) });
const OrderAnswer = z.object({ operation: z.string().nullish() });
const LastOperationAnswer = z.object({ state: z.string(), description: z.string().nullish() });
const BindAnswer = z.object({ credentials: z.record(z.string(), z.unknown()) });

type Call<Answer> = Pick<HttpRequest<Answer>, 'method' | 'path' | 'what' | 'signal'> &
  Partial<HttpRequest<Answer>>;

export function serviceManagerClient(settings: ServiceManagerSettings): ServiceManagerClient {
  const credentials = Buffer.from(`${settings.username}:${settings.password}`).toString('base64');
  const http = httpClient(system, settings, {
    header: async () => ({ authorization: `Basic ${credentials}` }),
  });
  const headers = { 'content-type': 'application/json', 'x-broker-api-version': '2.16' };

  const call = <Answer>(request: Call<Answer>) =>
    http
      .request({ headers, expect: [200, 201, 202], classify, ...request })
      .catch((error: unknown) => {
        throw isWrongAnswer(error) ? permanent(error.message, error.reason) : error;
      });

  async function order(request: Call<z.infer<typeof OrderAnswer>>): Promise<Ordered> {
    const { status, body } = await call({ ...request, answer: OrderAnswer });
    if (status !== 202) return { state: 'succeeded' };
    return { state: 'in progress', operation: body.operation ?? undefined };
  }

  return {
    async findService(offering, plan, signal) {
      const offerings = await call({
        method: 'GET',
        path: '/v1/service_offerings',
        query: { fieldQuery: `name eq ${quoted(offering)}` },
        answer: Offerings,
        what: `find offering ${offering}`,
        signal,
      });
      const found = onlyOne(offerings.body.items, `offering ${offering}`);
      const plans = await call({
        method: 'GET',
        path: '/v1/service_plans',
        query: {
          fieldQuery: `name eq ${quoted(plan)} and service_offering_id eq ${quoted(found.id)}`,
        },
        answer: Plans,
        what: `find plan ${plan} of ${offering}`,
        signal,
      });
      const { catalog_id: planId } = onlyOne(plans.body.items, `plan ${plan} of ${offering}`);
      return { brokerId: found.broker_id, serviceId: found.catalog_id, planId };
    },
    provision: (instance, parameters, signal) =>
      order({
        method: 'PUT',
        path: pathOf(instance),
        query: { accepts_incomplete: 'true' },
        body: {
          ...idsOf(instance),
          parameters,
          context: { platform: 'kubernetes' },
          // Any UUIDs do, but a broker may take a repeated order with other ones for a different order.
          organization_guid: derivedUuid(instance.id, 'organization'),
          space_guid: derivedUuid(instance.id, 'space'),
          ID: instance.id,
        },
        what: `provision service instance ${instance.id}`,
        signal,
      }),
    deprovision: (instance, signal) =>
      order({
        method: 'DELETE',
        path: pathOf(instance),
        query: { ...idsOf(instance), accepts_incomplete: 'true' },
        what: `deprovision service instance ${instance.id}`,
        signal,
      }).catch(ifGone({ state: 'succeeded' })),
    async lastOperation(instance, operation, signal) {
      const state = call({
        method: 'GET',
        path: `${pathOf(instance)}/last_operation`,
        query: {
          accepts_incomplete: 'true',
          ...idsOf(instance),
          ...(operation !== undefined && { operation }),
        },
        answer: LastOperationAnswer,
        what: `get the last operation of service instance ${instance.id}`,
        signal,
      });
      const { body } = await state.catch(ifGone({ body: { state: 'gone', description: '' } }));
      return { state: body.state, description: body.description ?? '' };
    },
    async bind(instance, bindingId, parameters, signal) {
      const { body } = await call({
        method: 'PUT',
        path: pathOf(instance, bindingId),
        body: { ...idsOf(instance), parameters },
        answer: BindAnswer,
        what: `bind service instance ${instance.id}`,
        signal,
      });
      return body;
    },
    async unbind(instance, bindingId, signal) {
      await call({
        method: 'DELETE',
        path: pathOf(instance, bindingId),
        query: idsOf(instance),
        answer: z.object({}),
        what: `unbind service instance ${instance.id}`,
        signal,
      }).catch(ifGone(undefined));
    },
  };
}

const pathOf = ({ id, service }: ServiceInstance, bindingId?: string) =>
  `/v1/osb/${encodeURIComponent(service.brokerId)}/v2/service_instances/${encodeURIComponent(id)}` +
  (bindingId === undefined ? '' : `/service_bindings/${encodeURIComponent(bindingId)}`);

const idsOf = ({ service }: ServiceInstance) => ({
  service_id: service.serviceId,
  plan_id: service.planId,
});

const quoted = (text: string) => `'${text.replaceAll("'", "''")}'`;

/** Here 500 is an answer that no repetition changes; only those above it are not. */
const classify = (status: number) => ({ temporary: status !== 500 && isTemporaryStatus(status) });

/** For a catch: gone counts as this answer. */
const ifGone =
  <Answer>(answer: Answer) =>
  (error: unknown): Answer => {
    if (error instanceof SystemError && error.status === 410) return answer;
    throw error;
  };

function onlyOne<Item>(items: readonly Item[], what: string): Item {
  const [item, ...others] = items;
  if (item && others.length === 0) return item;
  throw permanent(`${system}: ${items.length} of ${what}, not exactly one`, serviceNotUnique);
}

const isWrongAnswer = (error: unknown): error is SystemError =>
  error instanceof SystemError && error.reason === 'wrong_answer';

/** Without a cause: that of a wrong answer quotes the answer, which may hold credentials. */
const permanent = (message: string, reason: string) =>
  new SystemError(system, message, { temporary: false, reason });

/** Always the same for the same words (RFC 9562, version 8). */
const derivedUuid = (...words: string[]) =>
  createHash('sha256')
    .update(words.join('/'))
    .digest('hex')
    .replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12}).*$/, '$1-$2-8$3-8$4-$5');
