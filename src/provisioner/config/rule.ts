import { InvalidInput, shown } from './invalid-input.ts';

/** A field, as a caller would look for it, and what stands there. */
export type Place<Value> = readonly [field: string, value: Value];

/** What a caller reads: what would be allowed, or a fixed text, with or without the place behind it. */
type Wording<Subject> =
  | string
  | ((subject: Subject) => string)
  | { readonly says: string }
  | { readonly exactly: string };

/** Undefined where the subject keeps the rule. */
export type Rule<Subject> = (subject: Subject) => InvalidInput | undefined;

/** At each of these places (there may be none) this must hold. */
export const rule =
  <Subject, Value>(
    places: (subject: Subject) => readonly Place<Value>[],
    wording: Wording<Subject>,
    holds: (value: Value, subject: Subject) => boolean,
  ): Rule<Subject> =>
  (subject) => {
    const broken = places(subject).find(([, value]) => !holds(value, subject));
    if (!broken) return undefined;
    const [field, value] = broken;
    return new InvalidInput(field, textFor(wording, subject, field, shown(field, value)));
  };

function textFor<Subject>(
  wording: Wording<Subject>,
  subject: Subject,
  field: string,
  value: string,
): string {
  if (typeof wording === 'string') return `${field} is ${value}: must be ${wording}`;
  if (typeof wording === 'function') return `${field} is ${value}: must be ${wording(subject)}`;
  if ('exactly' in wording) return wording.exactly;
  return `${wording.says} (${field}: ${value})`;
}

/** The member of this name, if it was given. */
export const field =
  <Key extends string>(name: Key) =>
  <Value>(subject: { readonly [K in Key]?: Value | undefined }): Place<Value>[] => {
    const value = subject[name];
    return value === undefined ? [] : [[name, value]];
  };

/** Throws the first refusal, with words before it that say in which undertaking. */
export function check<Subject>(
  rules: readonly Rule<Subject>[],
  subject: Subject,
  during = '',
): void {
  for (const each of rules) {
    const broken = each(subject);
    if (broken)
      throw during === '' ? broken : new InvalidInput(broken.field, `${during}${broken.message}`);
  }
}

/** What was so before is no fault of this change: only what it breaks is held against it. */
export function checkChange<Subject>(
  rules: readonly Rule<Subject>[],
  before: Subject,
  after: Subject,
): void {
  check(
    rules.filter((each) => each(before) === undefined),
    after,
  );
}
