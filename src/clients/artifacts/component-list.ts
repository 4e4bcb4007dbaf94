import { z } from 'zod';
import { readYaml } from '../kyma-installer/yaml-documents.ts';

/** What a version of Kyma is made of, in the order of its installation. */
export type ComponentList = {
  readonly prerequisites: readonly ListedComponent[];
  readonly components: readonly ListedComponent[];
};
export type ListedComponent = { readonly name: string; readonly namespace: string };

const Component = z.object({ name: z.string().min(1), namespace: z.string().min(1).optional() });
const File = z
  .object({
    defaultNamespace: z.string().min(1),
    prerequisites: z.array(Component).nullish(),
    components: z.array(Component).min(1),
  })
  .transform(({ defaultNamespace, prerequisites, components }): ComponentList => {
    const inNamespace = ({ name, namespace = defaultNamespace }: z.infer<typeof Component>) => ({
      name,
      namespace,
    });
    return {
      prerequisites: (prerequisites ?? []).map(inNamespace),
      components: components.map(inNamespace),
    };
  });

/** A file of one document. */
export const readComponentList = (yaml: string) => readYaml(yaml, File);
