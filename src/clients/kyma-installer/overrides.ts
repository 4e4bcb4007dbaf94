import { z } from 'zod';
import type { KubernetesConnection } from '../kubernetes/kubernetes-connection.ts';
import type { ConfigEntry, KymaConfigInput } from '../provisioner/runtime-input.ts';
import { serverSideApply } from './server-side-apply.ts';

/** Where the installer runs and looks for overrides. Its own file creates it. */
const base = '/api/v1/namespaces/kyma-installer';
const suffix = '-installer-config';

type Wanted = {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly entries: readonly ConfigEntry[];
};

/** Entries marked as secret go to Secrets, the others to ConfigMaps; of a key that is named twice, the last value counts. */
const holders = [
  {
    kind: 'ConfigMap',
    plural: 'configmaps',
    holds: ({ secret = false }: ConfigEntry) => !secret,
    encoded: (value: string) => value,
  },
  {
    kind: 'Secret',
    plural: 'secrets',
    holds: ({ secret = false }: ConfigEntry) => secret,
    encoded: (value: string) => Buffer.from(value).toString('base64'),
  },
] as const;

/** Afterwards these overrides are there, and no others of former versions. */
export async function applyOverrides(
  connection: KubernetesConnection,
  kyma: Pick<KymaConfigInput, 'configuration' | 'components'>,
  signal: AbortSignal,
): Promise<void> {
  const wanted = [
    overridesOf('global', {}, kyma.configuration),
    ...kyma.components.map(({ component, configuration }) =>
      overridesOf(component, { component }, configuration),
    ),
  ];
  for (const { kind, plural, holds, encoded } of holders) {
    const filled = wanted.flatMap(({ entries, ...others }) => {
      const own = entries.filter(holds).map(({ key, value }) => [key, encoded(value)] as const);
      return own.length > 0 ? { ...others, data: Object.fromEntries(own) } : [];
    });
    for (const { name, labels, data } of filled) {
      await serverSideApply(connection, {
        path: `${base}/${plural}/${encodeURIComponent(name)}`,
        object: { apiVersion: 'v1', kind, metadata: { name, labels }, data },
        what: `apply the overrides in ${kind} ${name}`,
        signal,
      });
    }
    const names = new Set(filled.map(({ name }) => name));
    const there = await connection.list({
      path: `${base}/${plural}`,
      labelSelector: 'installer=overrides',
      item: z.object({ metadata: z.object({ name: z.string() }) }),
      what: `list the overrides in ${plural}`,
      signal,
    });
    for (const { metadata } of there) {
      // The installer's own file may bring overrides, too: those have other names.
      if (names.has(metadata.name) || !metadata.name.endsWith(suffix)) continue;
      await connection.find({
        method: 'DELETE',
        path: `${base}/${plural}/${encodeURIComponent(metadata.name)}`,
        what: `delete the overrides in ${kind} ${metadata.name}`,
        signal,
      });
    }
  }
}

const overridesOf = (
  prefix: string,
  labels: Readonly<Record<string, string>>,
  entries: readonly ConfigEntry[] = [],
): Wanted => ({
  name: `${prefix}${suffix}`,
  labels: { installer: 'overrides', ...labels },
  entries,
});
