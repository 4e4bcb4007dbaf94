import type { KymaFacts } from '#clients';
import type { Instance } from '../instance.ts';

/** What Lifecycle Manager is told of a runtime. */
export const kymaFacts = (instance: Instance, runtimeId: string): KymaFacts => ({
  instanceId: instance.id,
  runtimeId,
  planId: instance.planId,
  planName: instance.planName,
  globalAccountId: instance.globalAccount,
  subaccountId: instance.subaccount,
  shootName: instance.shootName,
  shootDomain: instance.shootDomain,
  region: regionOf(instance),
  licenseType: instance.context.license_type,
});

/** Of clusters that customers bring along nobody knows where they are. */
export const regionOf = ({ provider, region }: Pick<Instance, 'provider' | 'region'>): string =>
  provider === 'custom' ? '' : region;
