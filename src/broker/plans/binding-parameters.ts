import { z } from 'zod';
import { InvalidParameters } from './invalid-parameters.ts';
import type { JsonSchema } from './parameter-schema.ts';
import { describeIssue } from './schema-problems.ts';

const usual = 600;

const BindingParameters = z.strictObject({
  expiration_seconds: z
    .int()
    .min(600)
    .max(7200)
    .default(usual)
    .meta({ title: 'Expiration in seconds', description: 'How long the kubeconfig can be used' }),
});
export type BindingParameters = z.output<typeof BindingParameters>;

/** The parameters of a binding, checked. Throws InvalidParameters. */
export function parseBindingParameters(input: unknown): BindingParameters {
  const read = BindingParameters.safeParse(input ?? {});
  if (read.success) return read.data;
  const accepted = Object.keys(BindingParameters.shape);
  const problems = read.error.issues.flatMap((issue) => describeIssue(issue, input, accepted));
  throw new InvalidParameters(`while validating binding parameters: ${problems.join(', ')}`);
}

export const publishedBindingSchema: JsonSchema = {
  ...z.toJSONSchema(BindingParameters, { target: 'draft-4', io: 'input' }),
  _show_form_view: true,
  _controlsOrder: Object.keys(BindingParameters.shape),
};
