import type { ComponentChoice } from '#clients';
import { Overrides } from '../overrides.ts';
import type { GivenParameters } from '../plans/parameter-definitions.ts';
import type { KymaParts } from './kyma-parts.ts';

/** Installed only if the order or a step asks for them. */
const optional = ['kiali', 'tracing', 'btp-operator'] as const;

const disabledEverywhere = ['backup', 'backup-init'];
const onAzure = ['nats-streaming', 'knative-provisioner-natss'];
const notOnAzure = ['knative-eventing-kafka'];
/** Nobody registers the clusters of others in Director: there is nothing to connect to. */
const connectivity = ['compass-runtime-agent', 'application-connector', 'connectivity-proxy'];

const disabledFor: Readonly<Record<string, readonly string[]>> = {
  azure: onAzure,
  azure_lite: onAzure,
  own_cluster: [...notOnAzure, ...connectivity],
};

/** Nothing is set yet, and of the optional components only those are on that the order names. */
export function newOverrides({ components = [] }: GivenParameters): Overrides {
  const overrides = new Overrides();
  for (const name of optional) overrides.disable(name);
  for (const name of components) overrides.enable(name);
  return overrides;
}

/**
 * The components to install, in the order of the release, each with its own overrides. An additional component takes the
 * place of one of the same name.
 */
export function chosenComponents(
  planName: string,
  { list, additional }: KymaParts,
  overrides: Overrides,
): ComponentChoice[] {
  const listed = [...list.prerequisites, ...list.components].map(({ name, namespace }) => ({
    component: name,
    namespace,
  }));
  const byName = new Map<string, ComponentChoice>(
    [...listed, ...additional].map((each) => [each.component.toLowerCase(), each]),
  );
  const disabled = new Set([...disabledEverywhere, ...(disabledFor[planName] ?? notOnAzure)]);
  return [...byName]
    .filter(([name]) => !disabled.has(name) && !overrides.isLeftOut(name))
    .map(([, choice]) => ({ ...choice, overrides: overrides.of(choice.component) }));
}
