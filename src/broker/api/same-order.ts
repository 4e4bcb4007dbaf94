import { isDeepStrictEqual } from 'node:util';
import { Secret } from '#database';
import type { Instance, OrderContext } from '../instance.ts';

/** A request for an instance, its parameters as they came. */
export type AskedOrder = Pick<Instance, 'serviceId' | 'planId' | 'context'> & {
  readonly region: string;
  readonly parameters: unknown;
};

/**
 * Whether a request asks for what is there already. Values are compared as JSON, opened secrets included. Who asked, and
 * whether the instance is suspended just now, does not make it another order.
 */
export function isSameOrder(instance: Instance, asked: AskedOrder): boolean {
  const { parameters: stored } = instance;
  const has = isDeepStrictEqual;
  return (
    instance.serviceId === asked.serviceId &&
    instance.planId === asked.planId &&
    instance.platform.region === asked.region &&
    has(tenantAndTerms(instance.context), tenantAndTerms(asked.context)) &&
    has(revealed(stored), comparable(asked.parameters, stored))
  );
}

const tenantAndTerms = ({ user_id: _user, active: _active, ...rest }: OrderContext) =>
  revealed(rest);

/** As it would be stored: some parameters are accepted and dropped, and a kubeconfig is kept decoded. */
function comparable(given: unknown, stored: object): unknown {
  if (typeof given !== 'object' || given === null) return given ?? {};
  const { licence_type: _, ...wanted } = given as Record<string, unknown>;
  for (const version of ['kymaVersion', 'overridesVersion'])
    if (!Object.hasOwn(stored, version)) delete wanted[version];
  const { kubeconfig } = wanted;
  return typeof kubeconfig === 'string'
    ? { ...wanted, kubeconfig: Buffer.from(kubeconfig, 'base64').toString('utf8') }
    : wanted;
}

const revealed = (fields: object): object =>
  Object.fromEntries(
    Object.entries(fields).map(([name, value]: [string, unknown]) => [
      name,
      value instanceof Secret ? value.reveal() : value,
    ]),
  );
