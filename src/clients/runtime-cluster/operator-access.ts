import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import type { ClusterConnection } from './cluster-connection.ts';

/** Who may do what in the cluster, besides its owner. */
export type OperatorAccess = {
  /** A group that may read everything and edit what an editor may. */
  readonly l2Group?: string;
  /** A group of administrators. */
  readonly l3Group?: string;
  /** Users who are administrators. */
  readonly administrators: readonly string[];
};

const group = 'rbac.authorization.k8s.io';
const apiVersion = `${group}/v1`;
const toL2 = { [`${group}/aggregate-to-l2-operator`]: 'true' };
const toEdit = { [`${group}/aggregate-to-edit`]: 'true' };

const l2Roles = [
  {
    metadata: { name: 'l2-operator', labels: { app: 'kyma' } },
    aggregationRule: { clusterRoleSelectors: [{ matchLabels: toEdit }, { matchLabels: toL2 }] },
    rules: [], // filled by the API server from the roles that it aggregates
  },
  {
    metadata: { name: 'l2-operator-rules', labels: { app: 'kyma', ...toL2 } },
    rules: [{ verbs: ['get', 'list', 'watch'], apiGroups: ['*'], resources: ['*'] }],
  },
] as const;

type Binding = { readonly name: string; readonly subject: Subject; readonly role: string };
type Subject = { readonly kind: 'User' | 'Group'; readonly name: string };

/** All bindings with these are ours, and nobody else's. */
const labels = { 'reconciler.kyma-project.io/managed-by': 'reconciler', app: 'kyma' };
const labelSelector = Object.entries(labels)
  .map((label) => label.join('='))
  .join(',');

const ClusterRoleBinding = z.object({
  metadata: z.object({ name: z.string(), uid: z.string() }),
  roleRef: z.object({ kind: z.string(), name: z.string() }),
  subjects: z
    .array(z.object({ kind: z.string(), name: z.string() }))
    .nullish()
    .transform((subjects) => subjects ?? []),
});
type Found = z.infer<typeof ClusterRoleBinding>;

/**
 * Makes the access so. What is right already is not touched. A binding that is not is replaced, as its role cannot be
 * changed; one that nobody wants any more is deleted.
 */
export const ensureOperatorAccess =
  (cluster: ClusterConnection) =>
  async (access: OperatorAccess, signal: AbortSignal): Promise<void> => {
    const create = (kind: 'ClusterRole' | 'ClusterRoleBinding', object: Named) =>
      cluster.create({
        path: pathOf(kind),
        body: { apiVersion, kind, ...object },
        what: `create ${kind} ${object.metadata.name}`,
        signal,
      });

    if (access.l2Group !== undefined) for (const role of l2Roles) await create('ClusterRole', role);
    const found = await cluster.list({
      path: pathOf('ClusterRoleBinding'),
      item: ClusterRoleBinding,
      labelSelector,
      what: 'list the bindings of operators',
      signal,
    });
    const wanted = wantedBindings(access);
    const wrong = found.filter((binding) => !wanted.some((each) => isAsWanted(binding, each)));
    const missing = wanted.filter((each) => !found.some((binding) => isAsWanted(binding, each)));
    for (const { metadata } of wrong) {
      await cluster.find({
        method: 'DELETE',
        path: pathOf('ClusterRoleBinding', metadata.name),
        // Not another one that has taken its place meanwhile.
        body: { apiVersion: 'v1', kind: 'DeleteOptions', preconditions: { uid: metadata.uid } },
        what: `delete ClusterRoleBinding ${metadata.name}`,
        signal,
      });
    }
    for (const { name, subject, role } of missing) {
      await create('ClusterRoleBinding', {
        metadata: { name, labels },
        subjects: [{ ...subject, apiGroup: group }],
        roleRef: { apiGroup: group, kind: 'ClusterRole', name: role },
      });
    }
  };

function wantedBindings({ l2Group, l3Group, administrators }: OperatorAccess): Binding[] {
  const forGroup = (name: string, role: string, group: string | undefined): Binding[] =>
    group === undefined ? [] : [{ name, role, subject: { kind: 'Group', name: group } }];
  return [
    ...forGroup('l2-operator', 'l2-operator', l2Group),
    ...forGroup('l3-operator-admin', 'cluster-admin', l3Group),
    ...administrators.map((user, index): Binding => {
      const subject = { kind: 'User', name: user } as const;
      return { name: `administrator${index}`, role: 'cluster-admin', subject };
    }),
  ];
}

const isAsWanted = ({ metadata, roleRef, subjects }: Found, { name, role, subject }: Binding) =>
  metadata.name === name &&
  isDeepStrictEqual(roleRef, { kind: 'ClusterRole', name: role }) &&
  isDeepStrictEqual(subjects, [subject]);

type Named = {
  readonly metadata: { readonly name: string; readonly labels: Readonly<Record<string, string>> };
  readonly [field: string]: unknown;
};

const pathOf = (kind: 'ClusterRole' | 'ClusterRoleBinding', name?: string) => {
  const all = `/apis/${apiVersion}/${kind.toLowerCase()}s`;
  return name === undefined ? all : `${all}/${encodeURIComponent(name)}`;
};
