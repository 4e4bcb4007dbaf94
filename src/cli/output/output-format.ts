import { usage } from '../problem.ts';
import { fieldAt, fieldPath, fieldText } from './field-path.ts';
import type { Column } from './table.ts';

export type OutputFormat =
  | { readonly kind: 'table' | 'wide' | 'json' }
  | { readonly kind: 'custom'; readonly columns: readonly Column<object>[] };

export const outputHelp =
  'table, wide, json, or custom-columns=HEADER:path,… (custom= does as well); paths as a.b, .a.b, {a.b} or {.a.b}';

/** What stands behind `-o`. */
export function outputFormat(text = 'table'): OutputFormat {
  if (text === 'table' || text === 'wide' || text === 'json') return { kind: text };
  const [kind = '', ...rest] = text.split('=');
  if (kind !== 'custom' && kind !== 'custom-columns')
    throw usage(`--output is ${text}: allowed are ${outputHelp}`);
  const columns = rest.join('=').split(',').filter(Boolean).map(customColumn);
  if (columns.length === 0)
    throw usage(`--output ${kind} names no column: write ${kind}=HEADER:path,…`);
  return { kind: 'custom', columns };
}

function customColumn(text: string): Column<object> {
  const colon = text.indexOf(':');
  if (colon < 1)
    throw usage(
      `--output: ${text} is no column; write HEADER:path, for example STATE:status.state`,
    );
  const path = fieldPath(text.slice(colon + 1));
  return { header: text.slice(0, colon), value: (row) => fieldText(fieldAt(row, path)) };
}
