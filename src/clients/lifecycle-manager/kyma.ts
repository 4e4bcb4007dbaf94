import { z } from 'zod';

/** Go writes null for lists and texts that are empty. */
const listOf = <Item extends z.ZodType>(item: Item) =>
  z
    .array(item)
    .nullish()
    .transform((items) => items ?? []);
const text = z
  .string()
  .nullish()
  .transform((given) => given ?? '');

/** What is read of a Kyma. */
export const Kyma = z
  .object({
    apiVersion: z.string(),
    metadata: z.object({
      name: z.string(),
      namespace: z.string(),
      labels: z.record(z.string(), z.string()).default({}),
      annotations: z.record(z.string(), z.string()).default({}),
      deletionTimestamp: z.string().optional(),
    }),
    status: z
      .object({
        state: text,
        activeChannel: text,
        conditions: listOf(
          z.object({ type: z.string(), status: z.string(), reason: text, message: text }),
        ),
        modules: listOf(
          z.object({ name: z.string(), channel: text, version: text, state: text, message: text }),
        ),
      })
      .prefault({}),
  })
  .transform(({ apiVersion, metadata: { deletionTimestamp, ...metadata }, status }) => ({
    apiVersion,
    ...metadata,
    /** Its deletion was asked for; it goes when the Lifecycle Manager lets it go. */
    isBeingDeleted: deletionTimestamp !== undefined,
    /** Ready, Processing, Error, Deleting, Warning; empty before the Lifecycle Manager has seen it. */
    ...status,
  }));
export type Kyma = z.output<typeof Kyma>;
