import type { ComponentChildren } from 'preact';
import { useId, useLayoutEffect, useRef } from 'preact/hooks';
import type { JsonSchema } from '../api-types.ts';
import { Choice } from '../parts/field.tsx';
import { withoutEntry, type Draft } from './draft.ts';
import { fieldsOf, formLabel, furtherFieldsOf, kindOf, labelOf } from './fields.ts';
import type { Problems } from './problems.ts';
import { SchemaField } from './schema-field.tsx';

type FormProps = {
  readonly schema: JsonSchema;
  readonly draft: Draft;
  readonly problems: Problems;
  readonly onDraft: (draft: Draft) => void;
  readonly prefix?: string;
};

/** Fields for whatever the schema takes. */
export function SchemaForm({ schema, prefix = '', ...form }: FormProps) {
  const further = furtherFieldsOf(schema);
  const common = { ...form, prefix, required: schema.required ?? [] };
  return (
    <>
      <Fields {...common} fields={fieldsOf(schema)} />
      {further.length > 0 && (
        <Group
          {...form}
          label="More parameters"
          hint="Rarely needed; the forms of platforms leave them out."
          paths={further.map(([name]) => prefix + name)}
        >
          <Fields {...common} fields={further} />
        </Group>
      )}
    </>
  );
}

type FieldsProps = Omit<FormProps, 'schema'> & {
  readonly fields: readonly (readonly [string, JsonSchema])[];
  readonly required: readonly string[];
};

/** Those that are one text each side by side, the others below. */
function Fields({ fields, required, prefix = '', ...form }: FieldsProps) {
  const { draft, problems, onDraft } = form;
  const values = fields.filter(([, each]) => kindOf(each) === 'value');
  const others = fields.filter(([, each]) => kindOf(each) !== 'value');
  return (
    <>
      {values.length > 0 && (
        <div class="fields">
          {values.map(([name, each]) => (
            <SchemaField
              key={name}
              label={labelOf(name, each)}
              schema={each}
              required={required.includes(name)}
              value={draft[prefix + name] ?? ''}
              problem={problems[prefix + name]}
              onValue={(value) => onDraft({ ...draft, [prefix + name]: value })}
            />
          ))}
        </div>
      )}
      {others.map(([name, each]) => {
        const path = prefix + name;
        const label = labelOf(name, each);
        const kind = kindOf(each);
        if (kind === 'list')
          return <Entries key={name} {...form} path={path} label={label} schema={each} />;
        return (
          <Group key={name} {...form} label={label} hint={each.description} paths={[path]}>
            {kind === 'forms' ? (
              <Forms {...form} path={path} label={label} schema={each} />
            ) : (
              <SchemaForm {...form} schema={each} prefix={`${path}.`} />
            )}
          </Group>
        );
      })}
    </>
  );
}

type GroupProps = Pick<FormProps, 'draft' | 'problems'> & {
  readonly label: string;
  readonly hint?: string | undefined;
  readonly paths: readonly string[];
  readonly children: ComponentChildren;
};

/** Folded, until something was typed there, or is wrong there. Whatever is typed later does not fold it again. */
function Group({ label, hint, paths, draft, problems, children }: GroupProps) {
  const element = useRef<HTMLDetailsElement>(null);
  const isWithin = ([path, text]: readonly [string, string]) =>
    text !== '' && paths.some((own) => path === own || path.startsWith(`${own}.`));
  const isTouched = [draft, problems].some((each) => Object.entries(each).some(isWithin));
  useLayoutEffect(() => {
    if (isTouched && element.current) element.current.open = true;
  }, [isTouched]);
  const problem = paths.length === 1 ? problems[paths[0] ?? ''] : undefined;
  return (
    <details ref={element} class="group">
      <summary>{label}</summary>
      {hint !== undefined && <p class="hint">{hint.replace(/[^.]$/, '$&.')}</p>}
      {children}
      {problem !== undefined && <p class="what-is-wrong">{problem}</p>}
    </details>
  );
}

type NestedProps = Omit<FormProps, 'prefix'> & { readonly path: string; readonly label: string };

/** One of several forms, and then its fields. */
function Forms({ schema, path, label, ...form }: NestedProps) {
  const forms = schema.anyOf ?? [];
  const chosen = forms[Number(form.draft[path] ?? 0) - 1];
  return (
    <>
      <div class="fields">
        <Choice
          label={label}
          value={form.draft[path] ?? ''}
          options={[
            ['', 'Not given'],
            ...forms.map((each, index) => [`${index + 1}`, formLabel(each)] as const),
          ]}
          onValue={(value) => form.onDraft({ ...form.draft, [path]: value })}
        />
      </div>
      {chosen && <SchemaForm {...form} schema={chosen} prefix={`${path}.`} />}
    </>
  );
}

/** Entries that have fields of their own. */
function Entries({ schema, path, label, ...form }: NestedProps) {
  const id = useId();
  const count = Number(form.draft[path] ?? 0);
  return (
    <fieldset aria-labelledby={id}>
      <legend id={id}>{label}</legend>
      {Array.from({ length: count }, (_, index) => (
        <div key={index} class="entry">
          <SchemaForm {...form} schema={schema.items ?? {}} prefix={`${path}.${index}.`} />
          <button
            type="button"
            aria-label={`Remove entry ${index + 1}`}
            onClick={() => form.onDraft(withoutEntry(form.draft, path, index))}
          >
            Remove
          </button>
        </div>
      ))}
      <button type="button" onClick={() => form.onDraft({ ...form.draft, [path]: `${count + 1}` })}>
        Add an entry
      </button>
    </fieldset>
  );
}

/** After the next drawing: only then the fields know. */
export function focusFirstProblem(): void {
  requestAnimationFrame(() =>
    document.querySelector<HTMLElement>('form [aria-invalid="true"]')?.focus(),
  );
}
