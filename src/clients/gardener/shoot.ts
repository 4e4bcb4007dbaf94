import { z } from 'zod';

/** What is read of a shoot. Everything else in it is kept, so that a shoot can be read, edited and applied again. */
export const Shoot = z.looseObject({
  apiVersion: z.string().optional(),
  kind: z.string().optional(),
  metadata: z.looseObject({
    name: z.string(),
    uid: z.string().optional(),
    resourceVersion: z.string().optional(),
    generation: z.number().optional(),
    creationTimestamp: z.string().optional(),
    deletionTimestamp: z.string().optional(),
    labels: z.record(z.string(), z.string()).optional(),
    annotations: z.record(z.string(), z.string()).optional(),
  }),
  spec: z
    .looseObject({
      secretBindingName: z.string().optional(),
      seedName: z.string().optional(),
      region: z.string().optional(),
      dns: z.looseObject({ domain: z.string().optional() }).optional(),
      kubernetes: z.looseObject({ version: z.string().optional() }).optional(),
      maintenance: z
        .looseObject({
          timeWindow: z.looseObject({ begin: z.string(), end: z.string() }).optional(),
        })
        .optional(),
    })
    .default({}),
  status: z
    .looseObject({
      observedGeneration: z.number().optional(),
      hibernated: z.boolean().optional(),
      lastOperation: z
        .looseObject({
          /** Create, Reconcile, Delete, Migrate, Restore. */
          type: z.string(),
          /** Pending, Processing, Succeeded, Error (Gardener tries again), Failed (it does not), Aborted. */
          state: z.string(),
          progress: z.number().optional(),
          description: z.string().optional(),
          lastUpdateTime: z.string().optional(),
        })
        .optional(),
      lastErrors: z
        .array(
          z.looseObject({
            description: z.string(),
            codes: z.array(z.string()).optional(),
            taskID: z.string().optional(),
            lastUpdateTime: z.string().optional(),
          }),
        )
        .optional(),
    })
    .optional(),
});
export type Shoot = z.infer<typeof Shoot>;

/** What is wanted of a shoot: applied as a whole, what is left out is taken back. */
export type WantedShoot = {
  readonly metadata: {
    readonly name: string;
    readonly labels?: Readonly<Record<string, string>> | undefined;
    readonly annotations?: Readonly<Record<string, string>> | undefined;
    /** With it, the shoot must not have changed since it was read. */
    readonly resourceVersion?: string | undefined;
  };
  readonly spec: Readonly<Record<string, unknown>>;
};

const runtimeIdAnnotations = [
  'kcp.provisioner.kyma-project.io/runtime-id',
  'compass.provisioner.kyma-project.io/runtime-id', // before the provisioner left Compass
] as const;

export const runtimeIdOf = ({ metadata }: Pick<Shoot, 'metadata'>): string | undefined =>
  runtimeIdAnnotations.map((name) => metadata.annotations?.[name]).find(Boolean);
