import { z } from 'zod';
import type { Change } from '../kubernetes/kinds-served.ts';
import { kyma } from '../kubernetes/kinds.ts';
import { invalid } from '../kubernetes/status-error.ts';

const channel = z.string().regex(/^[a-z]{3,32}$/, 'must be 3 to 32 lower-case letters');

export const KymaSpec = z.looseObject({
  channel,
  modules: z
    .array(
      z.looseObject({
        name: z.string().min(1),
        channel: channel.optional(),
        customResourcePolicy: z.enum(['CreateAndDelete', 'Ignore']).optional(),
      }),
    )
    .default([]),
});
export type KymaSpec = z.infer<typeof KymaSpec>;

/** What the schema of the CustomResourceDefinition asks for. */
export function admitKyma(change: Change): void {
  if (change.operation === 'DELETE') return;
  const { metadata, spec } = change.object;
  const { error } = KymaSpec.safeParse(spec ?? {});
  const [issue] = error?.issues ?? [];
  if (!issue) return;
  const field = ['spec', ...issue.path].join('.');
  throw invalid(kyma, metadata.name, field, `Invalid value: ${issue.message}`);
}
