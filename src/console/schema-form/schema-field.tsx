import type { JsonSchema } from '../api-types.ts';
import { Choice, Field, TextField } from '../parts/field.tsx';
import { textOf } from './draft.ts';

type SchemaFieldProps = {
  readonly label: string;
  readonly schema: JsonSchema;
  readonly required: boolean;
  readonly value: string;
  readonly problem: string | undefined;
  readonly onValue: (value: string) => void;
};

/** One value, or a list of texts, with the control that suits it. */
export function SchemaField({ schema, ...field }: SchemaFieldProps) {
  const { description, default: preset, items } = schema;
  const hint = [
    description,
    preset !== undefined && `If empty: ${textOf(preset)}`,
    schema.type === 'array' && 'One in each line',
    items?.enum && `Of ${items.enum.join(', ')}`,
  ]
    .filter(Boolean)
    .map((each) => `${each}.`)
    .join(' ');
  const common = { ...field, ...(hint && { hint }) };
  const options = schema.type === 'boolean' ? booleans : namesIn(schema);
  if (options)
    return (
      <Choice {...common} options={[['', field.required ? 'Choose …' : 'Default'], ...options]} />
    );
  if (schema.type === 'array')
    return (
      <Field {...common}>
        {(attributes) => (
          <textarea
            {...attributes}
            rows={2}
            value={field.value}
            onInput={({ currentTarget }) => field.onValue(currentTarget.value)}
          />
        )}
      </Field>
    );
  const isNumber = schema.type === 'integer' || schema.type === 'number';
  return <TextField {...common} inputMode={isNumber ? 'numeric' : 'text'} />;
}

const booleans = [
  ['true', 'Yes'],
  ['false', 'No'],
] as const;

const namesIn = (schema: JsonSchema) =>
  schema.enum?.map((each) => [each, schema._enumDisplayName?.[each] ?? each] as const);
