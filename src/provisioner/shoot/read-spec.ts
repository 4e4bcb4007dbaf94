import { z } from 'zod';
import type { Shoot } from '#clients';

/** A value in a form that we do not know counts as not there. */
const maybe = <Schema extends z.ZodType>(schema: Schema) => schema.optional().catch(undefined);
/** A list does not: what we do not understand would be lost when the list is written again. */
const list = <Schema extends z.ZodType>(schema: Schema) => z.array(schema).default([]);
const fields = z.looseObject({});

const NetworkZone = z.looseObject({
  name: z.union([z.string(), z.number()]),
  natGateway: maybe(
    z.looseObject({ enabled: maybe(z.boolean()), idleConnectionTimeoutMinutes: maybe(z.int()) }),
  ),
});
const WorkerPool = z.looseObject({
  name: maybe(z.string()),
  minimum: maybe(z.int()),
  maximum: maybe(z.int()),
  maxSurge: maybe(z.int()),
  maxUnavailable: maybe(z.int()),
  machine: maybe(
    z.looseObject({
      type: maybe(z.string()),
      image: maybe(z.looseObject({ name: z.string(), version: maybe(z.string()) })),
    }),
  ),
  volume: maybe(z.looseObject({ type: maybe(z.string()), size: maybe(z.string()) })),
  zones: maybe(z.array(z.string())),
  providerConfig: maybe(
    z.looseObject({
      instanceMetadataOptions: maybe(z.looseObject({ httpTokens: maybe(z.string()) })),
    }),
  ),
});
const ResourceReference = z.looseObject({ name: z.string(), resourceRef: fields });

const Spec = z.looseObject({
  purpose: maybe(z.string()),
  exposureClassName: maybe(z.string()),
  seedName: maybe(z.string()),
  networking: fields.default({}),
  tolerations: maybe(z.array(z.unknown())),
  hibernation: maybe(z.looseObject({ enabled: maybe(z.boolean()) })),
  kubernetes: z
    .looseObject({
      version: maybe(z.string()),
      kubeAPIServer: maybe(
        z.looseObject({
          auditConfig: maybe(fields),
          oidcConfig: maybe(
            z.looseObject({
              clientID: maybe(z.string()),
              groupsClaim: maybe(z.string()),
              issuerURL: maybe(z.string()),
              signingAlgs: maybe(z.array(z.string())),
              usernameClaim: maybe(z.string()),
              usernamePrefix: maybe(z.string()),
            }),
          ),
        }),
      ),
    })
    .default({}),
  maintenance: z
    .looseObject({
      timeWindow: maybe(z.looseObject({ begin: z.string(), end: z.string() })),
      autoUpdate: maybe(
        z.looseObject({
          kubernetesVersion: maybe(z.boolean()),
          machineImageVersion: maybe(z.boolean()),
        }),
      ),
    })
    .default({}),
  extensions: list(z.looseObject({ type: z.string(), disabled: maybe(z.boolean()) })),
  resources: list(ResourceReference),
  provider: z
    .looseObject({
      workers: list(WorkerPool),
      infrastructureConfig: maybe(
        z.looseObject({
          networks: maybe(
            z.looseObject({
              natGateway: NetworkZone.shape.natGateway,
              zones: list(NetworkZone),
            }),
          ),
        }),
      ),
    })
    .default({ workers: [] }),
});

export type ResourceReference = z.infer<typeof ResourceReference>;
export type ReadSpec = z.infer<typeof Spec>;
export type ReadPool = z.infer<typeof WorkerPool>;

/** The parts of a Shoot that we write ourselves, as they are now. */
export const readSpec = ({ spec }: Shoot): ReadSpec => Spec.parse(spec);
