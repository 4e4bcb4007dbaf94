import {
  kubernetesConnection,
  type KubernetesConnection,
} from '../kubernetes/kubernetes-connection.ts';
import type { KubernetesSettings } from '../kubernetes/kubernetes-connection.ts';
import { Shoot } from './shoot.ts';

export type GardenerSettings = KubernetesSettings & {
  /** Its namespace is `garden-<project>`. */
  readonly project: string;
};

/** One Gardener project: the connection, and where things are in there. */
export type Project = KubernetesConnection & {
  readonly namespace: string;
  readonly pathOf: (plural: 'shoots' | 'secretbindings', name?: string) => string;
  readonly listShoots: (labelSelector: string, signal: AbortSignal) => Promise<Shoot[]>;
};

export const gardenerApi = 'core.gardener.cloud/v1beta1';

export function gardenerProject(settings: GardenerSettings): Project {
  const connection = kubernetesConnection('gardener', settings);
  const namespace = `garden-${settings.project}`;
  const base = `/apis/${gardenerApi}/namespaces/${encodeURIComponent(namespace)}`;
  const pathOf: Project['pathOf'] = (plural, name) =>
    name === undefined ? `${base}/${plural}` : `${base}/${plural}/${encodeURIComponent(name)}`;
  return {
    ...connection,
    namespace,
    pathOf,
    listShoots: (labelSelector, signal) =>
      connection.list({
        path: pathOf('shoots'),
        labelSelector,
        item: Shoot,
        what: 'list shoots',
        signal,
      }),
  };
}
