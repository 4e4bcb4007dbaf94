import { randomInt } from 'node:crypto';
import {
  isFields,
  valueAt,
  withoutNulls,
  type Fields,
  type KubernetesObject,
} from './kubernetes-object.ts';
import { apiVersionOf, isNamespace, type ResourceKind } from './resource-kind.ts';
import { badRequest, invalid } from './status-error.ts';

/** A body must be of the kind that its path names, and agree with the path about where it is. */
export function objectFrom(
  body: unknown,
  kind: ResourceKind,
  version: string,
  place: { readonly namespace?: string | undefined; readonly name?: string | undefined },
): Fields & { metadata: Fields } {
  if (!isFields(body)) throw badRequest('the object provided is unrecognized: not an object');
  const object = withoutNulls(body);
  const expected = apiVersionOf({ group: kind.group, version });
  // For the kinds that the server is built with, the path says enough.
  const known = kind.isCustom ? ['', ''] : [expected, kind.kind];
  const { apiVersion = known[0], kind: name = known[1], metadata = {} } = object;
  if (apiVersion !== expected || name !== kind.kind) {
    throw badRequest(
      `${JSON.stringify(name)} with apiVersion ${JSON.stringify(apiVersion)} does not match the expected ${kind.kind}, ${expected}`,
    );
  }
  if (!isFields(metadata)) throw badRequest('metadata: not an object');
  if (place.name !== undefined && (metadata['name'] ?? place.name) !== place.name) {
    throw badRequest(
      `the name of the object (${String(metadata['name'])}) does not match the name on the URL (${place.name})`,
    );
  }
  if (kind.namespaced && (metadata['namespace'] ?? place.namespace) !== place.namespace) {
    throw badRequest(
      'the namespace of the provided object does not match the namespace sent on the request',
    );
  }
  return { ...object, metadata };
}

const label = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;
const subdomain = /^(?=.{1,253}$)[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?$/;
const pathSegment = /^(?!\.{1,2}$)[^/%]+$/;
const labelKey = /^(?:[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?\/)?[A-Za-z0-9](?:[\w.-]{0,61}[A-Za-z0-9])?$/;
const labelValue = /^(?:[A-Za-z0-9](?:[\w.-]{0,61}[A-Za-z0-9])?)?$/;

/** What the API server checks whatever the kind. */
export function checkMetadata(kind: ResourceKind, object: KubernetesObject): void {
  const { name, labels = {}, annotations = {}, finalizers = [] } = object.metadata;
  const refuse = (field: string, message: string) => invalid(kind, name, field, message);
  const wrong = (value: unknown, why: string) => `Invalid value: ${JSON.stringify(value)}: ${why}`;
  if (typeof name !== 'string' || !namesOf(kind).test(name)) {
    throw refuse('metadata.name', wrong(name, 'not a valid name for this kind'));
  }
  for (const [field, map] of Object.entries({ labels, annotations })) {
    if (!isFields(map)) throw refuse(`metadata.${field}`, wrong(map, 'must be a map'));
    for (const [key, value] of Object.entries(map)) {
      const fits = typeof value === 'string' && (field !== 'labels' || labelValue.test(value));
      if (!labelKey.test(key)) throw refuse(`metadata.${field}`, wrong(key, 'not a valid key'));
      if (!fits) throw refuse(`metadata.${field}`, wrong(value, `not a valid value of ${key}`));
    }
  }
  if (!Array.isArray(finalizers) || !finalizers.every((each) => typeof each === 'string')) {
    throw refuse('metadata.finalizers', wrong(finalizers, 'must be a list of names'));
  }
}

const namesOf = (kind: ResourceKind) => {
  if (isNamespace(kind)) return label;
  return kind.group === 'rbac.authorization.k8s.io' ? pathSegment : subdomain;
};

/** What may not change, or not any more. */
export function checkChange(
  kind: ResourceKind,
  before: KubernetesObject,
  after: KubernetesObject,
): void {
  const { name, deletionTimestamp, finalizers: old = [] } = before.metadata;
  for (const field of kind.immutableFields ?? []) {
    const value = JSON.stringify(valueAt(after, field.split('.')));
    if (value !== JSON.stringify(valueAt(before, field.split('.')))) {
      throw invalid(kind, name, field, `Invalid value: ${value}: field is immutable`);
    }
  }
  const added = (after.metadata.finalizers ?? []).filter((each) => !old.includes(each));
  if (deletionTimestamp && added.length > 0) {
    throw invalid(
      kind,
      name,
      'metadata.finalizers',
      `Forbidden: no new finalizers can be added if the object is being deleted, found new finalizers ${JSON.stringify(added)}`,
    );
  }
}

/** A missing name is made from its beginning. */
export function nameFor(kind: ResourceKind, metadata: Fields): string {
  const { name, generateName } = metadata;
  if (typeof name === 'string' && name !== '') return name;
  if (typeof generateName === 'string' && generateName !== '') {
    const letter = () => randomLetters.charAt(randomInt(randomLetters.length));
    return generateName + Array.from({ length: 5 }, letter).join('');
  }
  throw invalid(kind, '', 'metadata.name', 'Required value: name or generateName is required');
}
// As the real one: no vowels, and nothing that looks like another.
const randomLetters = 'bcdfghjklmnpqrstvwxz2456789';

/** The wanted part alone: its changes count as generations. */
export const wantedPart = ({ metadata: _metadata, status: _status, ...wanted }: Fields): Fields =>
  wanted;
