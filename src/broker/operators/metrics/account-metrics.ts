import type { Logger } from 'pino';
import { Gauge, type Registry } from 'prom-client';
import type { AccountPool } from '#clients';
import { minutes, type Milliseconds } from '#time';
import { mostLabels, newer } from './both-names.ts';

/** Gardener is asked at most so often, whether it answers or not. */
const keptFor: Milliseconds = minutes(3);
const longest: Milliseconds = minutes(1);

/**
 * The accounts at hyperscalers, as Gardener has them. Returns what asks for them if it is time. Nobody has to wait for it:
 * the answer is for those who come later. Nothing is told while Gardener cannot be asked.
 */
export function accountMetrics(
  registry: Registry,
  accounts: Pick<AccountPool, 'list'>,
  closing: AbortSignal,
  now: () => Milliseconds = () => performance.now(),
): (log: Pick<Logger, 'warn' | 'info'>) => Promise<void> {
  const gauge = <const Label extends string>(name: string, help: string, ...more: Label[]) =>
    new Gauge({
      name: `${newer}${name}_credentials_bindings`,
      help: `Accounts at a hyperscaler ${help}`,
      labelNames: ['hyperscaler_type', ...more],
      registers: [registry],
    });
  const available = gauge('available', 'that anybody may claim');
  const claimed = gauge('claimed', 'that a tenant has claimed', 'tenant_name');
  const dirty = gauge('dirty', 'that wait for cleaning');
  const shared = gauge('shared', 'that many tenants use');

  const look = async () => {
    const all = await accounts.list(AbortSignal.any([closing, AbortSignal.timeout(longest)]));
    reset();
    for (const { hyperscalerType: hyperscaler_type, tenantName, isShared, isDirty } of all) {
      if (isShared) shared.inc({ hyperscaler_type });
      if (isDirty) dirty.inc({ hyperscaler_type });
      const isFree = tenantName === undefined && !isShared && !isDirty;
      available.inc({ hyperscaler_type }, isFree ? 1 : 0); // that there is none left is what people look for
    }
    const ofTenants = Map.groupBy(
      all.filter(({ tenantName }) => tenantName !== undefined),
      ({ hyperscalerType, tenantName }) => JSON.stringify([hyperscalerType, tenantName]),
    );
    const most = [...ofTenants.values()].toSorted((one, other) => other.length - one.length);
    for (const owned of most.slice(0, mostLabels)) {
      const { hyperscalerType: hyperscaler_type = '', tenantName: tenant_name = '' } =
        owned[0] ?? {};
      claimed.set({ hyperscaler_type, tenant_name }, owned.length);
    }
  };
  const reset = () => [available, claimed, dirty, shared].forEach((each) => each.reset());

  let askedAt: Milliseconds | undefined;
  let isAway = false;
  return async (log) => {
    if (askedAt !== undefined && now() - askedAt < keptFor) return;
    askedAt = now();
    try {
      await look();
      if (isAway) log.info('the accounts at hyperscalers can be counted again');
      isAway = false;
    } catch (error) {
      if (closing.aborted) return;
      reset();
      if (!isAway) log.warn({ err: error }, 'cannot count the accounts at hyperscalers');
      isAway = true;
    }
  };
}
