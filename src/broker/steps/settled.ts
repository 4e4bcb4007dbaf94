import type { UpgradeShootInput } from '#clients';
import type { Instance } from '../instance.ts';
import { gardenerConfig } from '../plans/gardener-config.ts';
import type { Services } from '../services.ts';
import { planOf } from './the-instance.ts';

/**
 * What the cluster shall have of the parameters that an update before asked for and did not see through: what is in force,
 * and where the customer has said nothing, the plan's.
 */
export function settled(
  services: Services,
  instance: Instance,
): Partial<UpgradeShootInput['gardenerConfig']> {
  const { unsettled = [] } = instance.details;
  if (unsettled.length === 0) return {};
  const { parameters, platform, id: seed, shootName, details } = instance;
  const { targetSecret = '' } = details;
  const order = { parameters, platform, seed, shootName, targetSecret };
  const whole = gardenerConfig(planOf(services, instance), order, services.settings.cluster);
  // The others are part of every request.
  const names = unsettled.map((name) => (name === 'oidc' ? 'oidcConfig' : name)).filter(isOwn);
  return Object.fromEntries(names.map((name) => [name, whole[name]]));
}

const isOwn = <Name extends string>(
  name: Name,
): name is Exclude<Name, 'administrators' | 'license_type'> =>
  name !== 'administrators' && name !== 'license_type';
