import { isFields, type KubernetesObject } from './kubernetes-object.ts';
import type { ResourceKind } from './resource-kind.ts';

const core = { group: '', version: 'v1', namespaced: true, hasStatus: false } as const;
const rbac = { group: 'rbac.authorization.k8s.io', version: 'v1', hasStatus: false } as const;
const gardener = { group: 'core.gardener.cloud', version: 'v1beta1', hasStatus: false } as const;
const countOf = (field: string) => (object: KubernetesObject) =>
  isFields(object[field]) ? Object.keys(object[field]).length : 0;

export const namespace: ResourceKind = {
  ...core,
  plural: 'namespaces',
  singular: 'namespace',
  kind: 'Namespace',
  shortNames: ['ns'],
  namespaced: false,
  hasStatus: true,
  hasGeneration: false,
  selectableFields: ['status.phase'],
  additionalPrinterColumns: [{ name: 'Status', type: 'string', value: '.status.phase' }],
  complete(object) {
    const { metadata } = object;
    metadata.labels = { ...metadata.labels, 'kubernetes.io/metadata.name': metadata.name };
    object['spec'] ??= { finalizers: ['kubernetes'] };
    object['status'] = { phase: metadata.deletionTimestamp ? 'Terminating' : 'Active' };
  },
};

export const secret: ResourceKind = {
  ...core,
  plural: 'secrets',
  singular: 'secret',
  kind: 'Secret',
  selectableFields: ['type'],
  immutableFields: ['type'],
  additionalPrinterColumns: [
    { name: 'Type', type: 'string', value: '.type' },
    { name: 'Data', type: 'integer', value: countOf('data') },
  ],
  complete(object) {
    object['type'] ??= 'Opaque';
    if (!isFields(object['stringData'])) return;
    const encoded = Object.entries(object['stringData']).map(
      ([key, text]) => [key, Buffer.from(String(text)).toString('base64')] as const,
    );
    object['data'] = {
      ...(isFields(object['data']) && object['data']),
      ...Object.fromEntries(encoded),
    };
    delete object['stringData'];
  },
};

export const configMap: ResourceKind = {
  ...core,
  plural: 'configmaps',
  singular: 'configmap',
  kind: 'ConfigMap',
  shortNames: ['cm'],
  additionalPrinterColumns: [{ name: 'Data', type: 'integer', value: countOf('data') }],
};

export const serviceAccount: ResourceKind = {
  ...core,
  plural: 'serviceaccounts',
  singular: 'serviceaccount',
  kind: 'ServiceAccount',
  shortNames: ['sa'],
};

export const event: ResourceKind = {
  ...core,
  plural: 'events',
  singular: 'event',
  kind: 'Event',
  shortNames: ['ev'],
  selectableFields: ['kind', 'namespace', 'name', 'uid'].map((field) => `involvedObject.${field}`),
  additionalPrinterColumns: [
    { name: 'Type', type: 'string', value: '.type' },
    { name: 'Reason', type: 'string', value: '.reason' },
    { name: 'Message', type: 'string', value: '.message' },
  ],
};

export const clusterRole: ResourceKind = {
  ...rbac,
  plural: 'clusterroles',
  singular: 'clusterrole',
  kind: 'ClusterRole',
  namespaced: false,
};

export const clusterRoleBinding: ResourceKind = {
  ...rbac,
  plural: 'clusterrolebindings',
  singular: 'clusterrolebinding',
  kind: 'ClusterRoleBinding',
  namespaced: false,
  immutableFields: ['roleRef'],
  additionalPrinterColumns: [
    {
      name: 'Role',
      type: 'string',
      value: ({ roleRef }) =>
        isFields(roleRef) ? `${String(roleRef['kind'])}/${String(roleRef['name'])}` : '',
    },
  ],
};

export const role: ResourceKind = {
  ...rbac,
  plural: 'roles',
  singular: 'role',
  kind: 'Role',
  namespaced: true,
};

export const roleBinding: ResourceKind = {
  ...clusterRoleBinding,
  plural: 'rolebindings',
  singular: 'rolebinding',
  kind: 'RoleBinding',
  namespaced: true,
};

export const shoot: ResourceKind = {
  ...gardener,
  plural: 'shoots',
  singular: 'shoot',
  kind: 'Shoot',
  namespaced: true,
  hasStatus: true,
  putNeedsVersion: true,
  additionalPrinterColumns: [
    { name: 'CloudProfile', type: 'string', value: '.spec.cloudProfileName' },
    { name: 'Provider', type: 'string', value: '.spec.provider.type' },
    { name: 'Region', type: 'string', value: '.spec.region' },
    { name: 'K8S Version', type: 'string', value: '.spec.kubernetes.version' },
    { name: 'Last Operation', type: 'string', value: '.status.lastOperation.state' },
    { name: 'Seed', type: 'string', value: '.spec.seedName', priority: 1 },
    { name: 'Purpose', type: 'string', value: '.spec.purpose', priority: 1 },
  ],
};

export const secretBinding: ResourceKind = {
  ...gardener,
  plural: 'secretbindings',
  singular: 'secretbinding',
  kind: 'SecretBinding',
  shortNames: ['sb'],
  namespaced: true,
  additionalPrinterColumns: [
    { name: 'Secret Namespace', type: 'string', value: '.secretRef.namespace' },
    { name: 'Secret Name', type: 'string', value: '.secretRef.name' },
  ],
};

export const seed: ResourceKind = {
  ...gardener,
  plural: 'seeds',
  singular: 'seed',
  kind: 'Seed',
  namespaced: false,
  hasStatus: true,
  additionalPrinterColumns: [
    { name: 'Provider', type: 'string', value: '.spec.provider.type' },
    { name: 'Region', type: 'string', value: '.spec.provider.region' },
  ],
};

export const cloudProfile: ResourceKind = {
  ...gardener,
  plural: 'cloudprofiles',
  singular: 'cloudprofile',
  kind: 'CloudProfile',
  shortNames: ['cprofile', 'cpfl'],
  namespaced: false,
  hasGeneration: true,
};

export const kyma: ResourceKind = {
  group: 'operator.kyma-project.io',
  version: 'v1beta2',
  otherVersions: ['v1beta1'],
  plural: 'kymas',
  singular: 'kyma',
  kind: 'Kyma',
  namespaced: true,
  hasStatus: true,
  isCustom: true,
  additionalPrinterColumns: [{ name: 'State', type: 'string', value: '.status.state' }],
};

const btp = {
  group: 'services.cloud.sap.com',
  version: 'v1',
  namespaced: true,
  hasStatus: true,
  isCustom: true,
} as const;

export const serviceInstance: ResourceKind = {
  ...btp,
  plural: 'serviceinstances',
  singular: 'serviceinstance',
  kind: 'ServiceInstance',
  additionalPrinterColumns: [
    { name: 'Offering', type: 'string', value: '.spec.serviceOfferingName' },
    { name: 'Plan', type: 'string', value: '.spec.servicePlanName' },
    { name: 'Status', type: 'string', value: '.status.conditions[0].reason' },
  ],
};

export const serviceBinding: ResourceKind = {
  ...btp,
  plural: 'servicebindings',
  singular: 'servicebinding',
  kind: 'ServiceBinding',
  additionalPrinterColumns: [
    { name: 'Service-Instance', type: 'string', value: '.spec.serviceInstanceName' },
    { name: 'Status', type: 'string', value: '.status.conditions[0].reason' },
  ],
};

export const coreKinds = [namespace, secret, configMap, serviceAccount, event] as const;
export const rbacKinds = [clusterRole, clusterRoleBinding, role, roleBinding] as const;
export const gardenerKinds = [shoot, secretBinding, seed, cloudProfile] as const;
export const btpKinds = [serviceInstance, serviceBinding] as const;
