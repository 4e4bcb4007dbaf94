import type { Fields, KubernetesObject } from './kubernetes-object.ts';
import { apiVersionOf, type ResourceKind } from './resource-kind.ts';
import { metadataOf, tableOf } from './table.ts';

/** How objects look in an answer. */
export type Presentation = {
  readonly one: (object: KubernetesObject) => Fields;
  readonly many: (objects: readonly KubernetesObject[], metadata: Fields) => Fields;
};

/** The first form in the Accept header: a table, metadata alone, or else whole objects. */
export function presentationOf(
  kind: ResourceKind,
  version: string,
  wish: { readonly accept: string; readonly includeObject: string | null; readonly now: Date },
): Presentation {
  const form = /^[^,]*;\s*as=(\w+)/.exec(wish.accept)?.[1] ?? 'whole';
  switch (form) {
    case 'Table': {
      const options = { now: wish.now, include: wish.includeObject ?? 'Metadata' };
      return {
        one: (object) =>
          tableOf(kind, [object], { resourceVersion: object.metadata.resourceVersion }, options),
        many: (objects, metadata) => tableOf(kind, objects, metadata, options),
      };
    }
    case 'PartialObjectMetadata':
    case 'PartialObjectMetadataList':
      return {
        one: metadataOf,
        many: (objects, metadata) => ({
          kind: 'PartialObjectMetadataList',
          apiVersion: 'meta.k8s.io/v1',
          metadata,
          items: objects.map(metadataOf),
        }),
      };
    default:
      return { one: (object) => object, many: plainList(kind, version) };
  }
}

/** Only custom resources repeat their kind in every item of a list. */
const plainList =
  ({ group, kind, isCustom }: ResourceKind, version: string) =>
  (objects: readonly KubernetesObject[], metadata: Fields): Fields => ({
    kind: `${kind}List`,
    apiVersion: apiVersionOf({ group, version }),
    metadata,
    items: isCustom
      ? objects
      : objects.map(({ apiVersion: _apiVersion, kind: _kind, ...content }) => content),
  });
