import { usage } from '../problem.ts';

/** Reads `status.state`, `.status.state`, `{.a.b[0].c}` out of what a service has answered. */
export function fieldAt(value: unknown, path: readonly string[]): unknown {
  const [name, ...rest] = path;
  if (name === undefined) return value;
  if (typeof value !== 'object' || value === null) return undefined;
  if (name === '*')
    return Object.values(value)
      .map((each) => fieldAt(each, rest))
      .filter((each) => each !== undefined);
  // Own fields alone: `constructor` is nobody's field.
  return Object.hasOwn(value, name)
    ? fieldAt((value as Record<string, unknown>)[name], rest)
    : undefined;
}

export function fieldPath(text: string): string[] {
  const plain = text
    .trim()
    .replace(/^\{(.*)\}$/, '$1')
    .replace(/^\./, '')
    .replaceAll(/\[(\d+|\*)\]/g, '.$1');
  const path = plain.split('.').filter((part, at) => !(part === '' && at === 0));
  if (path.length === 0 || path.some((part) => part === ''))
    throw usage(`--output: ${text} is no path of a field; write a.b, .a.b, {a.b} or {.a.b}`);
  return path;
}

/** As a table shows it. */
export function fieldText(value: unknown): string {
  if (value === undefined || value === null) return '<none>';
  return typeof value === 'string' ? value : JSON.stringify(value);
}
