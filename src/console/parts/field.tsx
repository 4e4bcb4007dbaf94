import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';

type FieldProps = {
  readonly label: string;
  readonly hint?: ComponentChildren;
  readonly problem?: string | undefined;
  readonly required?: boolean;
  readonly children: (attributes: {
    id: string;
    'aria-describedby': string | undefined;
    'aria-invalid': boolean;
    required: boolean;
  }) => ComponentChildren;
};

/** A control with its label, a hint, and what is wrong with its value. */
export function Field({ label, hint, problem, required = false, children }: FieldProps) {
  const id = useId();
  const described = [hint !== undefined && `${id}-hint`, problem !== undefined && `${id}-problem`]
    .filter(Boolean)
    .join(' ');
  return (
    <div class={`field ${problem === undefined ? '' : 'invalid'}`}>
      <label for={id}>
        {label}
        {required && <span aria-hidden="true"> *</span>}
      </label>
      {children({
        id,
        'aria-describedby': described || undefined,
        'aria-invalid': problem !== undefined,
        required,
      })}
      {hint !== undefined && (
        <div class="hint" id={`${id}-hint`}>
          {hint}
        </div>
      )}
      {problem !== undefined && (
        <div class="what-is-wrong" id={`${id}-problem`}>
          {problem}
        </div>
      )}
    </div>
  );
}

type TextFieldProps = Omit<FieldProps, 'children'> & {
  readonly value: string;
  readonly onValue: (value: string) => void;
  readonly inputMode?: 'text' | 'numeric';
  readonly placeholder?: string;
};

export const TextField = ({
  value,
  onValue,
  inputMode = 'text',
  placeholder,
  ...field
}: TextFieldProps) => (
  <Field {...field}>
    {(attributes) => (
      <input
        {...attributes}
        type="text"
        inputMode={inputMode}
        value={value}
        placeholder={placeholder}
        autoComplete="off"
        onInput={({ currentTarget }) => onValue(currentTarget.value)}
      />
    )}
  </Field>
);

type ChoiceProps = Omit<FieldProps, 'children'> & {
  readonly value: string;
  readonly onValue: (value: string) => void;
  readonly options: readonly (readonly [value: string, label: string])[];
};

export const Choice = ({ value, onValue, options, ...field }: ChoiceProps) => (
  <Field {...field}>
    {(attributes) => (
      <select
        {...attributes}
        value={value}
        onChange={({ currentTarget }) => onValue(currentTarget.value)}
      >
        {options.map(([each, label]) => (
          <option key={each} value={each}>
            {label}
          </option>
        ))}
      </select>
    )}
  </Field>
);
