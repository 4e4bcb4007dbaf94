import type { JsonSchema } from '../api-types.ts';
import { Choice, Field, TextField } from '../parts/field.tsx';
import { fieldsOf, labelOf, textOf, type Draft, type Problems } from './draft.ts';

type FormProps = {
  readonly schema: JsonSchema;
  readonly draft: Draft;
  readonly problems: Problems;
  readonly onDraft: (draft: Draft) => void;
  readonly prefix?: string;
};

/** Fields for whatever the schema asks for. */
export function SchemaForm({ schema, draft, problems, onDraft, prefix = '' }: FormProps) {
  const fields = fieldsOf(schema);
  const objects = fields.filter(([, each]) => each.type === 'object');
  const simple = fields.filter(([, each]) => each.type !== 'object');
  return (
    <>
      <div class="fields">
        {simple.map(([name, each]) => (
          <SchemaField
            key={name}
            label={labelOf(name, each)}
            schema={each}
            required={schema.required?.includes(name) === true}
            value={draft[prefix + name] ?? ''}
            problem={problems[prefix + name]}
            onValue={(value) => onDraft({ ...draft, [prefix + name]: value })}
          />
        ))}
      </div>
      {objects.map(([name, each]) => (
        <details key={name} class="group" open={isTouched(`${prefix}${name}.`, draft, problems)}>
          <summary>{labelOf(name, each)}</summary>
          {each.description !== undefined && <p class="hint">{each.description}.</p>}
          <SchemaForm
            schema={each}
            draft={draft}
            problems={problems}
            onDraft={onDraft}
            prefix={`${prefix}${name}.`}
          />
        </details>
      ))}
    </>
  );
}

/** Something was typed there, or is wrong there: then it is shown from the beginning. */
const isTouched = (prefix: string, ...records: readonly (Draft | Problems)[]) =>
  records.some((each) =>
    Object.entries(each).some(([path, text]) => path.startsWith(prefix) && text !== ''),
  );

type SchemaFieldProps = {
  readonly label: string;
  readonly schema: JsonSchema;
  readonly required: boolean;
  readonly value: string;
  readonly problem: string | undefined;
  readonly onValue: (value: string) => void;
};

function SchemaField({ schema, ...field }: SchemaFieldProps) {
  const { description, default: preset } = schema;
  const hint = [description, preset !== undefined && `If empty: ${textOf(preset)}.`]
    .filter(Boolean)
    .join('. ');
  const common = { ...field, ...(hint && { hint }) };
  if (schema.enum)
    return (
      <Choice
        {...common}
        options={[
          ['', 'Default'],
          ...schema.enum.map((each) => [each, schema._enumDisplayName?.[each] ?? each] as const),
        ]}
      />
    );
  if (schema.type === 'boolean')
    return (
      <Choice
        {...common}
        options={[
          ['', 'Default'],
          ['true', 'Yes'],
          ['false', 'No'],
        ]}
      />
    );
  if (schema.type === 'array')
    return (
      <Field {...common} hint={[hint, 'One in each line.'].filter(Boolean).join('. ')}>
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
