import { configNotFound, SystemError, type KymaTemplate } from '#clients';
import type { Instance } from '../instance.ts';
import type { GivenParameters } from '../plans/parameter-definitions.ts';
import type { Services } from '../services.ts';

/** How a new Kyma looks for this order: the operators' template, with the modules that the customer wants. */
export async function kymaTemplate(
  { clients }: Services,
  { planName, parameters }: Instance,
  kymaVersion: string,
  signal: AbortSignal,
): Promise<KymaTemplate> {
  const config = await clients.controlPlane.brokerConfig({ planName, kymaVersion }, signal);
  if (config.kymaTemplate) return withModules(config.kymaTemplate, parameters.modules);
  throw new SystemError(
    'control-plane',
    `control-plane: the configuration of plan ${planName} at Kyma ${kymaVersion} has no kyma-template`,
    { temporary: false, reason: configNotFound },
  );
}

/** A list takes the place of the template's, an empty one too; without a word of the customer's, the template's stand. */
export function withModules(
  template: KymaTemplate,
  wanted: GivenParameters['modules'],
): KymaTemplate {
  if (!wanted) return template;
  const { channel } = wanted;
  const modules = 'list' in wanted ? wanted.list : wanted.default ? undefined : [];
  return {
    ...template,
    spec: { ...template.spec, ...(channel && { channel }), ...(modules && { modules }) },
  };
}
