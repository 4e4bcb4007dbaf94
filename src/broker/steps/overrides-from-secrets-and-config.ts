import type { DefaultOverride } from '#clients';
import { done, type Step } from '#engine';
import { minutes, seconds } from '#time';
import type { OverrideEntry } from '../overrides.ts';
import type { Services } from '../services.ts';
import type { Wishing } from '../wanted-changes.ts';
import { steady } from './steady.ts';
import { theInstance } from './the-instance.ts';
import { theOverrides } from './the-overrides.ts';

/** Operators keep them in the control plane's cluster. That nothing is there for the plan is their mistake, and fails. */
export const overridesFromSecretsAndConfig = (
  services: Services,
): Step<Wishing & { kymaVersion: string }> => ({
  name: 'Overrides_From_Secrets_And_Config_Step',
  about: 'Collects the settings of Kyma that hold for all runtimes of the plan.',
  domain: 'Kyma overrides',
  owner: 'Team Gopher',
  retry: steady(seconds(10), minutes(30)),
  async run({ operation, facts, memory, signal }) {
    const instance = await theInstance(services, { operation, facts });
    const kymaVersion = instance.parameters.overridesVersion ?? facts.kymaVersion;
    const { global, components } = await services.clients.controlPlane.defaultOverrides(
      { planName: instance.planName, kymaVersion },
      signal,
    );
    const overrides = theOverrides(memory, instance);
    overrides.appendGlobalOverrides(global.map(entryOf));
    for (const [component, entries] of Object.entries(components)) {
      overrides.appendOverrides(component, entries.map(entryOf));
    }
    return done();
  },
});

const entryOf = ({ key, secret, value }: DefaultOverride): OverrideEntry => ({
  key,
  value: typeof value === 'string' ? value : value.reveal(),
  secret,
});
