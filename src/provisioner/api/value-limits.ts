import { Kind, type ArgumentNode, type ValueNode } from 'graphql';

/** Of the values in a request, in its text or in its variables. */
export const valueLimits = {
  /** Elements of a list, or members of an object. */
  length: 1_000,
  /** A region has a handful, and each network is compared with each. */
  zones: 20,
  depth: 20,
  /** In all. */
  values: 50_000,
} as const;

const cannotBeStored = 'has a character that cannot be stored (U+0000, or half of a pair)';
const notExact = 'is a number that cannot be stored as it is written';

/** PostgreSQL takes neither, not even in JSON. */
const canBeStored = (text: string) => !text.includes('\u0000') && text.isWellFormed();

/** What no number of JSON holds would silently become another one. */
const isExact = (value: number) =>
  Number.isFinite(value) && (!Number.isInteger(value) || Number.isSafeInteger(value));

/** Undefined if a list, or an object, of this name may be so long. */
function tooLong(name: string, length: number): string | undefined {
  const limit = /zones$/i.test(name) ? valueLimits.zones : valueLimits.length;
  return length > limit ? `has ${length} elements: at most ${limit} are allowed` : undefined;
}
const tooDeep = `is nested too deeply: at most ${valueLimits.depth} levels are allowed`;

/** What cannot be taken about the variables; undefined if nothing. */
export function excessInVariables(variables: Readonly<Record<string, unknown>>) {
  let left: number = valueLimits.values;

  /** The place is written only where something is wrong with it. */
  const look = (value: unknown, name: string, depth: number): Found | undefined => {
    left -= 1;
    if (left < 0) return ['', `are too many values: at most ${valueLimits.values} are allowed`];
    if (typeof value === 'string') return canBeStored(value) ? undefined : ['', cannotBeStored];
    if (typeof value === 'number') return isExact(value) ? undefined : ['', notExact];
    if (typeof value !== 'object' || value === null) return undefined;
    if (depth > valueLimits.depth) return ['', tooDeep];
    const isList = Array.isArray(value);
    const members = Object.entries(value as Record<string, unknown>); // an array is one, too
    const excess = tooLong(isList ? name : '', members.length);
    if (excess !== undefined) return ['', excess];
    for (const [key, member] of members) {
      if (!canBeStored(key)) return ['', `has a name that ${cannotBeStored}`];
      const found = look(member, isList ? name : key, depth + 1);
      if (found) return [`${isList ? `[${key}]` : `.${key}`}${found[0]}`, found[1]];
    }
    return undefined;
  };

  const found = look(variables, '', 0);
  return found && `variables${found[0]} ${found[1]}`;
}

type Found = readonly [place: string, complaint: string];

/** The same of what stands in the text. */
export function excessInArguments(given: readonly ArgumentNode[]): string | undefined {
  for (const { name, value } of given) {
    const found = excessInValue(value, name.value);
    if (found !== undefined) return `${name.value}${found}`;
  }
  return undefined;
}

/** Begins with the place in the value. */
export function excessInValue(node: ValueNode, name: string, depth = 1): string | undefined {
  switch (node.kind) {
    case Kind.STRING:
      return canBeStored(node.value) ? undefined : ` ${cannotBeStored}`;
    case Kind.INT:
    case Kind.FLOAT:
      return isExact(Number(node.value)) ? undefined : ` ${notExact}`;
    case Kind.LIST: {
      const excess = depth > valueLimits.depth ? tooDeep : tooLong(name, node.values.length);
      if (excess !== undefined) return ` ${excess}`;
      for (const [index, value] of node.values.entries()) {
        const found = excessInValue(value, name, depth + 1);
        if (found !== undefined) return `[${index}]${found}`;
      }
      return undefined;
    }
    case Kind.OBJECT: {
      const excess = depth > valueLimits.depth ? tooDeep : tooLong('', node.fields.length);
      if (excess !== undefined) return ` ${excess}`;
      for (const { name, value } of node.fields) {
        const found = excessInValue(value, name.value, depth + 1);
        if (found !== undefined) return `.${name.value}${found}`;
      }
      return undefined;
    }
    case Kind.BOOLEAN:
    case Kind.ENUM:
    case Kind.NULL:
    case Kind.VARIABLE:
      return undefined;
  }
}
