import { applyPatch } from './apply-patch.ts';
import { jsonPatch } from './json-patch.ts';
import { isFields, type Fields, type KubernetesObject, type Place } from './kubernetes-object.ts';
import { mergePatch, strategicMergePatch } from './merge-patch.ts';
import { objectFrom } from './metadata-rules.ts';
import type { ObjectStore } from './object-store.ts';
import type { ObjectWriter, Write } from './object-writer.ts';
import { jsonBody, mediaType, yamlBody } from './request-body.ts';
import { inVersion, type ResourceKind } from './resource-kind.ts';
import { badRequest, StatusError, unsupportedMediaType } from './status-error.ts';

export type PatchRequest = {
  readonly kind: ResourceKind;
  readonly version: string;
  readonly place: Place;
  readonly contentType: string | undefined;
  readonly body: unknown;
  readonly query: URLSearchParams;
  readonly write: Write;
};

const patches: Readonly<Record<string, (target: unknown, patch: unknown) => unknown>> = {
  'application/json-patch+json': jsonPatch,
  'application/merge-patch+json': mergePatch,
  'application/strategic-merge-patch+json': (target, patch) => strategicMergePatch(target, patch),
};
const apply = 'application/apply-patch+yaml';
const strategic = 'application/strategic-merge-patch+json';

/** Changes an object by one of the four kinds of patches; an apply creates what is not there. */
export function patchObject(
  store: ObjectStore,
  writer: ObjectWriter,
  request: PatchRequest,
): { readonly object: KubernetesObject; readonly isNew: boolean } {
  const { kind, version, place, body, write } = request;
  const type = mediaType(request.contentType);
  if (type === apply) return applyObject(store, writer, request);
  const accepted = [...Object.keys(patches), apply].filter(
    (each) => !(kind.isCustom && each === strategic),
  );
  const patch = patches[type];
  if (!patch || !accepted.includes(type)) throw unsupportedMediaType(accepted);
  const changes = jsonBody(body);
  if (type !== 'application/json-patch+json' && !isFields(changes)) {
    throw badRequest('error decoding patch: not an object');
  }
  const change = (live: KubernetesObject) =>
    objectFrom(patch(inVersion(live, kind, version), changes), kind, version, place);
  return { object: writer.update(kind, place, change, write), isNew: false };
}

function applyObject(
  store: ObjectStore,
  writer: ObjectWriter,
  { kind, version, place, body, query, write }: PatchRequest,
): { readonly object: KubernetesObject; readonly isNew: boolean } {
  if (!query.get('fieldManager')) {
    throw new StatusError(
      422,
      'Invalid',
      'PatchOptions.meta.k8s.io "" is invalid: fieldManager: Required value: is required for apply patch',
    );
  }
  const given = objectFrom(yamlBody(body), kind, version, place);
  if (given.metadata['managedFields']) throw badRequest('metadata.managedFields must be nil');
  const { status, ...main } = given;
  const { metadata } = given;
  const { resourceVersion } = metadata;
  const wanted: Fields & { metadata: Fields } =
    write.subresource === 'status'
      ? { metadata: { ...(resourceVersion !== undefined && { resourceVersion }) }, status }
      : { ...main, metadata, ...(!kind.hasStatus && status !== undefined && { status }) };
  const asApply: Write = { ...write, operation: 'Apply' };
  if (!store.get(kind, place) && write.subresource === undefined) {
    const named = { ...wanted, metadata: { ...metadata, name: place.name } };
    return { object: writer.create(kind, place.namespace, named, asApply), isNew: true };
  }
  const force = query.get('force') === 'true';
  const object = writer.update(
    kind,
    place,
    // The fields of an apply are those of an object, only fewer.
    (live, author) => applyPatch(live, wanted as Partial<KubernetesObject>, author, force),
    asApply,
  );
  return { object, isNew: false };
}
