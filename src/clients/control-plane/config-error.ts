import type { z } from 'zod';
import { SystemError } from '../system-error.ts';

/** Of what must be there exactly once, nothing was found: match on this reason. */
export const configNotFound = 'err_config_not_found';
/** More than one was found, and nobody can say which is meant. */
export const configAmbiguous = 'err_config_ambiguous';
/** It was found, and cannot be read. The message names the key, and in it the field. */
export const configMalformed = 'err_config_malformed';

/** No retry mends it: an operator has to change the configuration. */
export const configError = (
  reason: typeof configNotFound | typeof configAmbiguous | typeof configMalformed,
  message: string,
  cause?: unknown,
) =>
  new SystemError('control-plane', `control-plane: ${message}`, {
    temporary: false,
    reason,
    cause,
  });

/** Reads the text under a key by the parser, then by the schema. What is wrong is said of ConfigMaps alone: it quotes. */
export function parsedEntry<Entry>(
  { configMap, key }: { readonly configMap: string; readonly key: string },
  parse: () => unknown,
  schema: z.ZodType<Entry>,
): Entry {
  const malformed = (why: string, cause: unknown) =>
    configError(configMalformed, `ConfigMap ${configMap}, key ${key}: ${why}`, cause);
  let value;
  try {
    value = parse();
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw malformed(`cannot be read: ${why}`, error);
  }
  const result = schema.safeParse(value, { reportInput: true });
  if (result.success) return result.data;
  throw malformed(result.error.issues.map(complaint).join('; '), result.error);
}

const longestQuote = 80;

function complaint({ path, message, input }: z.core.$ZodIssue): string {
  const field = path.map(String).join('.') || 'the whole';
  const value = input === undefined ? 'nothing' : JSON.stringify(input);
  const quote = value.length > longestQuote ? `${value.slice(0, longestQuote)}…` : value;
  return `${field}: ${message}, found ${quote}`;
}
