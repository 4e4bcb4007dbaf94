import type { Fields, KubernetesObject } from './kubernetes-object.ts';

/** One kind that an API server knows: its names, its scope, and in what it differs from others. */
export type ResourceKind = {
  /** Empty for the core group. */
  readonly group: string;
  readonly version: string;
  /** Served too, with the same objects under another `apiVersion`. */
  readonly otherVersions?: readonly string[];
  readonly plural: string;
  readonly singular: string;
  readonly kind: string;
  readonly shortNames?: readonly string[];
  readonly namespaced: boolean;
  /** Status is written through `/status` alone. */
  readonly hasStatus: boolean;
  /** Without it: those that have a status. */
  readonly hasGeneration?: boolean;
  /** Defined by a CustomResourceDefinition: knows no strategic merge patch, and a PUT must name a version. */
  readonly isCustom?: boolean;
  /** Without it: the custom ones. */
  readonly putNeedsVersion?: boolean;
  /** For tables, between name and age. */
  readonly additionalPrinterColumns?: readonly PrinterColumn[];
  /** For field selectors, besides name and namespace: 'status.phase'. */
  readonly selectableFields?: readonly string[];
  /** Refused when they change: 'roleRef'. */
  readonly immutableFields?: readonly string[];
  /** Fills in what the API server itself adds, at every write. */
  readonly complete?: (object: KubernetesObject) => void;
};

export type PrinterColumn = {
  readonly name: string;
  readonly type: 'string' | 'integer' | 'number' | 'boolean' | 'date';
  readonly description?: string;
  /** Above 0: only in wide tables. */
  readonly priority?: number;
  /** A path as in CustomResourceDefinitions, or a function where a path does not reach. */
  readonly value: string | ((object: KubernetesObject) => string | number);
};

export const apiVersionOf = ({ group, version }: Pick<ResourceKind, 'group' | 'version'>) =>
  group === '' ? version : `${group}/${version}`;

export const versionsOf = (kind: ResourceKind): readonly string[] => [
  kind.version,
  ...(kind.otherVersions ?? []),
];

/** As in messages and as the key of the store: 'shoots.core.gardener.cloud', 'secrets'. */
export const qualifiedName = ({ group, plural }: Pick<ResourceKind, 'group' | 'plural'>) =>
  group === '' ? plural : `${plural}.${group}`;

/** Where the kind is served: 'api/v1', 'apis/core.gardener.cloud/v1beta1'. */
export const pathOfVersion = (group: string, version: string) =>
  group === '' ? `api/${version}` : `apis/${group}/${version}`;

export const inVersion = (
  object: KubernetesObject,
  { group }: ResourceKind,
  version: string,
): KubernetesObject => ({ ...object, apiVersion: apiVersionOf({ group, version }) });

export const isNamespace = ({ group, plural }: ResourceKind) =>
  group === '' && plural === 'namespaces';

/** What `group`, `version` and `kind` are called in OpenAPI documents. */
export const groupVersionKind = ({ group, kind }: ResourceKind, version: string): Fields => ({
  group,
  version,
  kind,
});
