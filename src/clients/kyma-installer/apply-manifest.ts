import { z } from 'zod';
import { noSuchKind } from '../kubernetes/kubernetes-answer.ts';
import type { KubernetesConnection } from '../kubernetes/kubernetes-connection.ts';
import { SystemError } from '../system-error.ts';
import { ifServed } from './if-served.ts';
import type { ManifestObject } from './manifest.ts';
import { serverSideApply } from './server-side-apply.ts';

const ResourceList = z.object({
  resources: z.array(z.object({ name: z.string(), kind: z.string(), namespaced: z.boolean() })),
});

/** What others need to be there comes first, the rest in the order of the file. */
const firstKinds = ['Namespace', 'CustomResourceDefinition'];
const rankOf = ({ kind }: ManifestObject) =>
  firstKinds.includes(kind) ? firstKinds.indexOf(kind) : firstKinds.length;

export async function applyManifest(
  connection: KubernetesConnection,
  objects: readonly ManifestObject[],
  signal: AbortSignal,
): Promise<void> {
  const served = new Map<string, Promise<z.infer<typeof ResourceList> | undefined>>();
  const resourcesOf = (apiVersion: string) =>
    served.getOrInsertComputed(apiVersion, () =>
      ifServed(
        connection.request({
          method: 'GET',
          path: basePath(apiVersion),
          answer: ResourceList,
          what: `find the kinds of ${apiVersion}`,
          signal,
        }),
      ),
    );
  const definedHere = new Set(objects.flatMap(definedKind));

  for (const object of objects.toSorted((a, b) => rankOf(a) - rankOf(b))) {
    const { apiVersion, kind, metadata } = object;
    const list = await resourcesOf(apiVersion);
    const resource = list?.resources.find((each) => each.kind === kind && !each.name.includes('/'));
    if (!resource) throw notServed(object, definedHere.has(kind));
    const { namespace = 'default' } = metadata;
    const home = resource.namespaced ? `/namespaces/${encodeURIComponent(namespace)}` : '';
    await serverSideApply(connection, {
      path: `${basePath(apiVersion)}${home}/${resource.name}/${encodeURIComponent(metadata.name)}`,
      object,
      what: `apply ${kind} ${metadata.name}`,
      signal,
    });
  }
}

const basePath = (apiVersion: string) =>
  [
    apiVersion.includes('/') ? '/apis' : '/api',
    ...apiVersion.split('/').map(encodeURIComponent),
  ].join('/');

const Definition = z.object({
  kind: z.literal('CustomResourceDefinition'),
  spec: z.object({ names: z.object({ kind: z.string() }) }),
});

function definedKind(object: ManifestObject): string[] {
  const definition = Definition.safeParse(object);
  return definition.success ? [definition.data.spec.names.kind] : [];
}

/** A kind that was defined a moment ago takes a while to be served; any other will not come. */
const notServed = ({ apiVersion, kind, metadata }: ManifestObject, temporary: boolean) =>
  new SystemError(
    'runtime-cluster',
    `runtime-cluster: cannot apply ${kind} ${metadata.name}: the cluster serves no ${kind} of ${apiVersion}`,
    { temporary, reason: noSuchKind },
  );
