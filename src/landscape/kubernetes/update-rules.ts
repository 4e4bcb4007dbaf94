import type { Fields, KubernetesObject } from './kubernetes-object.ts';
import type { Write } from './object-writer.ts';
import type { ResourceKind } from './resource-kind.ts';
import { conflict, invalid } from './status-error.ts';

/** Whoever names a version or an identity must name the present one; for some kinds a version is a must. */
export function checkVersion(
  kind: ResourceKind,
  before: KubernetesObject,
  wanted: Fields,
  write: Write,
): void {
  const { name, uid, resourceVersion } = before.metadata;
  const given = wanted['resourceVersion'] ?? '';
  if (given === '' && (kind.putNeedsVersion ?? kind.isCustom) && !write.isSystem) {
    const why = 'Invalid value: 0x0: must be specified for an update';
    throw invalid(kind, name, 'metadata.resourceVersion', why);
  }
  if (given !== '' && given !== resourceVersion) throw conflict(kind, name);
  if ((wanted['uid'] ?? uid) !== uid) {
    const why = `Precondition failed: UID in precondition: ${String(wanted['uid'])}, UID in object meta: ${uid}`;
    throw conflict(kind, name, why);
  }
}

/** Of what is wanted, what this way of writing may change. */
export function allowedPart(
  kind: ResourceKind,
  before: KubernetesObject,
  wanted: KubernetesObject,
  { subresource, isSystem }: Write,
): KubernetesObject {
  const old = structuredClone(before);
  const { managedFields } = wanted.metadata;
  const withStatusOf = (object: KubernetesObject, { status }: KubernetesObject) => {
    const { status: _status, ...others } = object;
    return { ...others, ...(status !== undefined && { status }) } as KubernetesObject; // as it was, but for its status
  };
  if (subresource === 'status') {
    const metadata = { ...old.metadata, ...(managedFields && { managedFields }) };
    return { ...withStatusOf(old, wanted), metadata };
  }
  const { labels, annotations, finalizers, ownerReferences } = wanted.metadata;
  const changeable = { labels, annotations, finalizers, ownerReferences, managedFields };
  const metadata: Fields = { ...old.metadata };
  for (const [key, value] of Object.entries(changeable)) {
    if (value === undefined || value === null) delete metadata[key];
    else metadata[key] = value;
  }
  const { apiVersion, kind: name } = old;
  const after = { ...wanted, apiVersion, kind: name, metadata } as unknown as KubernetesObject; // metadata of the old one, and checked later
  return kind.hasStatus && !isSystem ? withStatusOf(after, old) : after;
}
