import type { KymaApiVersion } from './kyma-resource.ts';

/** Where a Kyma is. Its objects are the same in every version; ask for one that the cluster serves. */
export type KymaPlace = {
  readonly namespace: string;
  readonly name: string;
  readonly apiVersion?: KymaApiVersion;
};

/** An empty name would mean all objects, for a deletion too: it is a mistake of ours and goes nowhere. */
export function objectPath(
  api: string,
  namespace: string,
  plural: 'kymas' | 'secrets',
  name: string,
): string {
  for (const [field, value] of Object.entries({ namespace, name }))
    if (value === '') throw new Error(`no path for one of the ${plural}: its ${field} is empty`);
  return `${collectionPath(api, namespace, plural)}/${encodeURIComponent(name)}`;
}

export const collectionPath = (api: string, namespace: string, plural: 'kymas' | 'secrets') =>
  `/${api}/namespaces/${encodeURIComponent(namespace)}/${plural}`;
