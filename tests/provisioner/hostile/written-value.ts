/** A number as it is written, for those that no variable can hold. */
export class Written {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

const enums = ['profile', 'conflictStrategy'];

/** As GraphQL writes it in a document; enums without quotes. */
export function asLiteral(value: unknown, field = ''): string {
  if (value instanceof Written) return value.text;
  if (Array.isArray(value)) return `[${value.map((each) => asLiteral(each, field)).join(', ')}]`;
  if (typeof value === 'string' && enums.includes(field) && /^\w+$/.test(value)) return value;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value).map(([name, member]) => {
    const key = /^[_A-Za-z]\w*$/.test(name) ? name : JSON.stringify(name);
    return `${key}: ${asLiteral(member, name)}`;
  });
  return `{${members.join(', ')}}`;
}

/** As JSON writes it in the variables. */
export function asJson(value: unknown): string {
  if (value instanceof Written) return value.text;
  if (Array.isArray(value)) return `[${value.map(asJson).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value).map(
    ([name, member]) => `${JSON.stringify(name)}:${asJson(member)}`,
  );
  return `{${members.join(',')}}`;
}
