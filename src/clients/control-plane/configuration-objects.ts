import { z } from 'zod';
import {
  kubernetesConnection,
  type KubernetesSettings,
} from '../kubernetes/kubernetes-connection.ts';

export type ControlPlaneSettings = KubernetesSettings & {
  /** Where the configuration is; `kcp-system` unless told. */
  readonly namespace?: string;
  /** Its configuration stands in for that of `PR-…` and `main-…` versions which have none. */
  readonly defaultKymaVersion: string;
  /** The ConfigMap with the versions of accounts; `kyma-versions` unless told. */
  readonly versionsName?: string;
  /** The ConfigMap with the policy of orchestrations; `orchestration-config` unless told. */
  readonly orchestrationName?: string;
};

/** What most of the configuration depends on. */
export type PlanAtVersion = { readonly planName: string; readonly kymaVersion: string };

const metadata = z.object({
  name: z.string(),
  labels: z.record(z.string(), z.string()).default({}),
});
const ConfigMap = z.object({ metadata, data: z.record(z.string(), z.string()).default({}) });
const Secret = z.object({ metadata, data: z.record(z.string(), z.base64()).default({}) });
export type ConfigMap = z.infer<typeof ConfigMap>;
export type SecretObject = z.infer<typeof Secret>;

export type ConfigurationObjects = {
  readonly findConfigMap: (name: string, signal: AbortSignal) => Promise<ConfigMap | undefined>;
  /** Those with all these labels at "true". */
  readonly configMaps: (labels: readonly string[], signal: AbortSignal) => Promise<ConfigMap[]>;
  readonly secrets: (labels: readonly string[], signal: AbortSignal) => Promise<SecretObject[]>;
};

/** The objects of one namespace in which operators keep the configuration. */
export function configurationObjects({
  namespace = 'kcp-system',
  ...settings
}: ControlPlaneSettings): ConfigurationObjects {
  const connection = kubernetesConnection('control-plane', settings);
  const base = `/api/v1/namespaces/${encodeURIComponent(namespace)}`;

  const list = async <Item>(
    plural: 'configmaps' | 'secrets',
    item: z.ZodType<Item>,
    labels: readonly string[],
    signal: AbortSignal,
  ) => {
    if (!labels.every(canBeLabel)) return [];
    return connection.list({
      path: `${base}/${plural}`,
      labelSelector: labels.map((label) => `${label}=true`).join(','),
      item,
      what: `list ${plural} with ${labels.join(', ')}`,
      signal,
    });
  };

  return {
    findConfigMap: (name, signal) =>
      connection.find({
        method: 'GET',
        path: `${base}/configmaps/${encodeURIComponent(name)}`,
        answer: ConfigMap,
        what: `read ConfigMap ${name}`,
        signal,
      }),
    configMaps: (labels, signal) => list('configmaps', ConfigMap, labels, signal),
    secrets: (labels, signal) => list('secrets', Secret, labels, signal),
  };
}

/** Versions come from callers: what cannot be a label is on no object, and must not get into a selector. */
const canBeLabel = (label: string) => /^(?=.{1,63}$)[a-z0-9]([\w.-]*[a-z0-9])?$/i.test(label);
