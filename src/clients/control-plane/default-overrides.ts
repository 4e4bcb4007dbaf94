import { configError, configNotFound } from './config-error.ts';
import type {
  ConfigMap,
  ConfigurationObjects,
  PlanAtVersion,
  SecretObject,
} from './configuration-objects.ts';
import { SecretValue } from './secret-value.ts';

/** Settings of components that hold for every runtime of a plan and version. */
export type DefaultOverrides = {
  readonly global: readonly DefaultOverride[];
  /** By the name of the component. */
  readonly components: Readonly<Record<string, readonly DefaultOverride[]>>;
};

export type DefaultOverride =
  | { readonly key: string; readonly secret: true; readonly value: SecretValue }
  | { readonly key: string; readonly secret: false; readonly value: string };

export async function defaultOverrides(
  objects: ConfigurationObjects,
  { kymaVersion, planName }: PlanAtVersion,
  signal: AbortSignal,
): Promise<DefaultOverrides> {
  const labels = [
    `overrides-plan-${planName}`,
    `overrides-version-${kymaVersion.toLowerCase()}`,
  ] as const;
  const [secrets, configMaps] = await Promise.all([
    objects.secrets(['runtime-override'], signal),
    objects.configMaps(labels, signal),
  ]);
  const fromConfigMaps = configMaps.flatMap(entriesOfConfigMap);
  if (!fromConfigMaps.some(({ component }) => component === '')) {
    const why = `no ConfigMap with ${labels.join(' and ')} has an override for all components`;
    throw configError(configNotFound, why);
  }
  return merged([...secrets.flatMap(entriesOfSecret), ...fromConfigMaps]);
}

/** The component is empty for what concerns all of them. */
type Entry = { readonly component: string; readonly override: DefaultOverride };

const componentOf = ({ metadata }: ConfigMap | SecretObject) => metadata.labels['component'] ?? '';

const entriesOfConfigMap = (configMap: ConfigMap): Entry[] =>
  Object.entries(configMap.data).map(([key, value]) => ({
    component: componentOf(configMap),
    override: { key, secret: false, value },
  }));

const entriesOfSecret = (secret: SecretObject): Entry[] =>
  Object.entries(secret.data).map(([key, encoded]) => ({
    component: componentOf(secret),
    override: {
      key,
      secret: true,
      value: new SecretValue(Buffer.from(encoded, 'base64').toString()),
    },
  }));

/** Of equal keys for one component the later wins: so ConfigMaps over Secrets. What was secret once stays so. */
function merged(entries: readonly Entry[]): DefaultOverrides {
  const byComponent = new Map<string, Map<string, DefaultOverride>>();
  for (const { component, override } of entries) {
    const known = byComponent.getOrInsertComputed(component, () => new Map());
    const { key, value } = override;
    const mustHide = known.get(key)?.secret === true && typeof value === 'string';
    known.set(key, mustHide ? { key, secret: true, value: new SecretValue(value) } : override);
  }
  const all = Object.fromEntries(
    [...byComponent].map(([component, overrides]) => [component, [...overrides.values()]]),
  );
  const { '': global = [], ...components } = all;
  return { global, components };
}
