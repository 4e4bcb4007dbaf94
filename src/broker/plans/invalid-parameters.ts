/** What a customer asked for cannot be given. The message says which parameter, which value, and what is allowed. */
export class InvalidParameters extends Error {
  override readonly name = 'InvalidParameters';
  readonly code = 'INVALID_PARAMETERS';
  readonly status = 400;
}

const longest = 80;

/** A value as it stands in messages. */
export function shortened(value: unknown): string {
  const text = JSON.stringify(value) ?? 'nothing';
  return text.length > longest ? `${text.slice(0, longest)}…` : text;
}
