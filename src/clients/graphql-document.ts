/** What can stand in a document. Members that are undefined are left out. */
export type Literal =
  | string
  | number
  | boolean
  | null
  | EnumName
  | readonly Literal[]
  | { readonly [name: string]: Literal | undefined };

const isEnum = Symbol('enum');
/** A value of an enum: written without quotes. */
export type EnumName = { readonly [isEnum]: string };
export const enumName = (name: string): EnumName => ({ [isEnum]: checked(name) });

/**
 * A GraphQL document with its arguments in the text, as these systems expect it: graphql`{ result: runtime(id: ${id}) { id } }`.
 * Whatever is put in becomes a literal, so no name or label can change what the document asks for.
 */
export const graphql = (
  texts: TemplateStringsArray,
  ...values: readonly (Literal | undefined)[]
): string => String.raw({ raw: texts }, ...values.map((value) => literal(value ?? null)));

function literal(value: Literal): string {
  if (typeof value === 'string') return JSON.stringify(value.toWellFormed());
  if (typeof value === 'number' && !Number.isFinite(value))
    throw new TypeError(`GraphQL knows no number ${value}`);
  if (typeof value !== 'object' || value === null) return String(value);
  if (isList(value)) return `[${value.map(literal).join(', ')}]`;
  if (isEnumName(value)) return value[isEnum];
  const members = Object.entries(value).flatMap(([name, member]) =>
    member === undefined ? [] : `${checked(name)}: ${literal(member)}`,
  );
  return `{${members.join(', ')}}`;
}

const isList = (value: object): value is readonly Literal[] => Array.isArray(value);
const isEnumName = (value: object): value is EnumName => isEnum in value;

/** Names cannot be quoted, so only a proper one may get into a document. */
function checked(name: string): string {
  if (/^[_A-Za-z][_0-9A-Za-z]*$/.test(name)) return name;
  throw new TypeError(`'${name}' cannot be a name in a GraphQL document`);
}
