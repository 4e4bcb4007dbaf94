import { inspect } from 'node:util';
import type { Keyring } from './keyring.ts';

/** A text that shows itself only when asked: logs, JSON and messages read `[secret]`. */
export class Secret {
  readonly #reveal: () => string;

  /** A function instead of the text is called at each reveal(). */
  constructor(value: string | (() => string)) {
    this.#reveal = typeof value === 'string' ? () => value : value;
  }

  reveal(): string {
    return this.#reveal();
  }

  toString(): string {
    return '[secret]';
  }

  toJSON(): string {
    return '[secret]';
  }

  [inspect.custom](): string {
    return '[secret]';
  }
}

/**
 * The value with every Secret in it replaced by `{ $secret: '<sealed>' }`, ready to be stored as JSON; the same object
 * if there is none. The context, for example the row's id, is needed to open it again.
 */
export function sealSecrets(value: unknown, keyring: Keyring, context: string): unknown {
  return replaceDeep(value, (each) => {
    if (each instanceof Secret) return { $secret: keyring.seal(each.reveal(), context) };
    if (isPlainObject(each) && Object.hasOwn(each, '$secret')) {
      throw new Error(
        'a value with a property "$secret" cannot be stored: the name marks sealed secrets',
      );
    }
    return undefined;
  });
}

/** The value with every `{ $secret }` in it replaced by a Secret, which is decrypted when it is revealed. */
export function openSecrets(value: unknown, keyring: Keyring, context: string): unknown {
  return replaceDeep(value, (each) => {
    if (!isPlainObject(each) || typeof each['$secret'] !== 'string') return undefined;
    const sealed = each['$secret'];
    return new Secret(() => keyring.open(sealed, context));
  });
}

/** Replaces what `replacement` has an answer for. Parts in which nothing was replaced stay the same objects. */
function replaceDeep(value: unknown, replacement: (value: unknown) => unknown): unknown {
  const replaced = replacement(value);
  if (replaced !== undefined) return replaced;
  if (Array.isArray(value)) {
    const items = value.map((item) => replaceDeep(item, replacement));
    return items.some((item, index) => item !== value[index]) ? items : value;
  }
  if (isPlainObject(value)) {
    const entries = Object.entries(value).map(
      ([name, item]) => [name, replaceDeep(item, replacement)] as const,
    );
    return entries.some(([name, item]) => item !== value[name])
      ? Object.fromEntries(entries)
      : value;
  }
  return value;
}

function isPlainObject(value: unknown): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}
