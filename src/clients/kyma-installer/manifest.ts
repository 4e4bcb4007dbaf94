import { z } from 'zod';
import { readYaml } from './yaml-documents.ts';

/** An object as a file names it; everything else in it is kept. */
export type ManifestObject = z.infer<typeof ManifestObject>;
const ManifestObject = z.looseObject({
  apiVersion: z.string().min(1),
  kind: z.string().min(1),
  metadata: z.looseObject({ name: z.string().min(1), namespace: z.string().min(1).optional() }),
});

/** The objects of a YAML file, in its order. */
export const readManifest = (yaml: string) => readYaml(yaml, ManifestObject);
