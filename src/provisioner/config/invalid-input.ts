/** The caller must change something: the message says which field, what it was, and what is allowed. */
export class InvalidInput extends Error {
  override readonly name = 'InvalidInput';
  readonly code = 400;
  readonly reason = 'err_provisioner_invalid_input';
  readonly failureClass = 'user';
  readonly field: string;

  constructor(field: string, message: string, options?: ErrorOptions) {
    super(message, options);
    this.field = field;
  }
}

/**
 * A value as it may stand in a message. Overrides may be secret, user ids are personal,
 * and objects would be too long.
 */
export function shown(field: string, value: unknown): string {
  if (/\b(?:configuration|administrators)\b/.test(field)) return 'not shown';
  if (value === undefined) return 'missing';
  const isLong = (part: unknown) => typeof part === 'object' && part !== null;
  if (Array.isArray(value) ? value.some(isLong) : isLong(value)) return 'not shown';
  const text = JSON.stringify(value);
  return text.length > 100 ? `${text.slice(0, 100)}…` : text;
}
