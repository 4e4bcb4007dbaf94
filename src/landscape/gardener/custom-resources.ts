import { z } from 'zod';
import { btpKinds } from '../kubernetes/kinds.ts';
import type { KindHooks } from '../kubernetes/kinds-served.ts';
import type { KubernetesApi } from '../kubernetes/kubernetes-api.ts';
import {
  timestamp,
  type KubernetesObject,
  type NewObject,
} from '../kubernetes/kubernetes-object.ts';
import { qualifiedName, type ResourceKind } from '../kubernetes/resource-kind.ts';

export const customResourceDefinition: ResourceKind = {
  group: 'apiextensions.k8s.io',
  version: 'v1',
  otherVersions: ['v1beta1'],
  plural: 'customresourcedefinitions',
  singular: 'customresourcedefinition',
  kind: 'CustomResourceDefinition',
  shortNames: ['crd'],
  namespaced: false,
  hasStatus: true,
};

/** A kind that somebody simulates here, once it is defined. */
export type SimulatedKind = { readonly kind: ResourceKind; readonly hooks?: KindHooks };

/** These are there without a definition. */
const builtIn = new Set(btpKinds.map(qualifiedName));

/** While the definition of a kind is there, the kind is served; when it goes, all objects go with it. */
export function serveCustomResources(
  api: KubernetesApi,
  simulated: readonly SimulatedKind[],
  now: () => Date,
): void {
  const byName = new Map(simulated.map((each) => [qualifiedName(each.kind), each]));
  const serve = (definition: KubernetesObject): boolean => {
    const defined = kindOf(definition);
    if (!defined || builtIn.has(qualifiedName(defined))) return false;
    const { kind, hooks } = byName.get(qualifiedName(defined)) ?? { kind: defined };
    api.addKind(kind);
    if (hooks) api.hook(kind, hooks);
    return true;
  };
  api.addKind(customResourceDefinition);
  api.hook(customResourceDefinition, {
    onRestore: serve,
    onCreate(definition) {
      if (!serve(definition)) return;
      const lastTransitionTime = timestamp(now());
      const conditions = ['NamesAccepted', 'Established'].map((type) => ({
        type,
        status: 'True',
        lastTransitionTime,
      }));
      api.patch(customResourceDefinition, definition.metadata, { status: { conditions } });
    },
    onDelete(definition) {
      const defined = kindOf(definition);
      if (defined && !builtIn.has(qualifiedName(defined))) api.removeKind(defined);
    },
  });
}

/** For components that bring their kinds along. What is defined already stays. */
export function define(api: KubernetesApi, kind: ResourceKind): void {
  if (!api.get(customResourceDefinition, { name: qualifiedName(kind) }))
    api.create(customResourceDefinition, definitionOf(kind));
}

export function undefine(api: KubernetesApi, kind: ResourceKind): void {
  api.delete(customResourceDefinition, { name: qualifiedName(kind) });
}

const definitionOf = (kind: ResourceKind): NewObject => ({
  metadata: { name: qualifiedName(kind) },
  spec: {
    group: kind.group,
    scope: kind.namespaced ? 'Namespaced' : 'Cluster',
    names: { kind: kind.kind, singular: kind.singular, plural: kind.plural },
    versions: [{ name: kind.version, served: true, storage: true }],
  },
});

const Definition = z.object({
  spec: z.object({
    group: z.string().min(1),
    scope: z.enum(['Namespaced', 'Cluster']).default('Namespaced'),
    names: z.object({
      kind: z.string().min(1),
      plural: z.string().min(1),
      singular: z.string().optional(),
      shortNames: z.array(z.string()).optional(),
    }),
    /** In the older form; the newer one has a list. */
    version: z.string().optional(),
    versions: z
      .array(z.object({ name: z.string(), subresources: z.unknown().optional() }))
      .optional(),
  }),
});

/** Nothing for a definition that no API server would take for one. */
function kindOf(definition: KubernetesObject): ResourceKind | undefined {
  const parsed = Definition.safeParse(definition);
  if (!parsed.success) return undefined;
  const { group, scope, names, version, versions = [] } = parsed.data.spec;
  const [first = version, ...others] = versions.map(({ name }) => name);
  if (first === undefined) return undefined;
  return {
    group,
    version: first,
    otherVersions: others,
    plural: names.plural,
    singular: names.singular ?? names.kind.toLowerCase(),
    kind: names.kind,
    ...(names.shortNames && { shortNames: names.shortNames }),
    namespaced: scope === 'Namespaced',
    hasStatus: versions.some(({ subresources }) => subresources !== undefined),
    hasGeneration: true,
    isCustom: true,
  };
}
