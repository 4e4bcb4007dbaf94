/** A part of an object, of any shape. */
export type Fields = Record<string, unknown>;

export type KubernetesObject = {
  apiVersion: string;
  kind: string;
  metadata: ObjectMeta;
  [field: string]: unknown;
};

export type ObjectMeta = {
  name: string;
  generateName?: string;
  namespace?: string;
  uid: string;
  /** From one counter for the whole API server: every write gets the next number. */
  resourceVersion: string;
  /** Counts the changes of what is wanted, where a kind has it. */
  generation?: number;
  creationTimestamp: string;
  deletionTimestamp?: string;
  deletionGracePeriodSeconds?: number;
  labels?: Record<string, string>;
  annotations?: Record<string, string>;
  finalizers?: string[];
  ownerReferences?: { uid: string; [field: string]: unknown }[];
  managedFields?: ManagedFieldsEntry[];
};

export type ManagedFieldsEntry = {
  manager: string;
  operation: 'Apply' | 'Update';
  apiVersion: string;
  time: string;
  fieldsType: 'FieldsV1';
  fieldsV1: Fields;
  subresource?: string;
};

/** What a caller of the direct methods has to bring; the rest is filled in. */
export type NewObject = {
  readonly metadata: Partial<ObjectMeta>;
  readonly [field: string]: unknown;
};

/** Where an object of a kind is; without a namespace for those that belong to the whole cluster. */
export type Place = { readonly namespace?: string; readonly name: string };

export const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Kubernetes writes whole seconds. */
export const timestamp = (date: Date): string => date.toISOString().replace(/\.\d+Z$/, 'Z');

/** Of Go's empty pointers and times, as their clients send them, nothing is kept. */
export function withoutNulls<Value>(value: Value): Value {
  if (Array.isArray(value)) return value.map(withoutNulls) as Value; // of the same elements, but for their nulls
  if (!isFields(value)) return value;
  const entries = Object.entries(value).filter(([, each]) => each !== null);
  return Object.fromEntries(entries.map(([key, each]) => [key, withoutNulls(each)])) as Value;
}

/** The value below these keys, or undefined. */
export function valueAt(value: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>((at, key) => (isFields(at) ? at[key] : undefined), value);
}
