import { outputFormat } from './output/output-format.ts';
import type { OutputFlags } from './output/screen.ts';
import { tableWriter, type Column } from './output/table.ts';
import { limitOf, type PagingFlags } from './command.ts';
import { allOf, pagesOf } from './service/pages.ts';
import type { Query, Service } from './service/service.ts';
import type { Work } from './work.ts';

/** A list page by page, each as soon as it is there; at the end, to people alone, what was left out. */
export async function showPages<Row extends object>(
  { screen }: Work,
  service: Service,
  [path, query]: readonly [path: string, query: Query],
  columns: readonly Column<Row>[],
  flags: OutputFlags & PagingFlags,
): Promise<void> {
  const format = outputFormat(flags.output);
  const limit = limitOf(flags);
  if (format.kind === 'json') return screen.json(await allOf<Row>(service, path, query, limit));
  const look = {
    width: format.kind === 'wide' ? undefined : screen.width,
    hasHeaders: flags.headers !== false,
  };
  const shown: readonly Column<Row>[] =
    format.kind === 'custom'
      ? format.columns
      : columns.filter(({ isWide }) => format.kind === 'wide' || !isWide);
  const lines = tableWriter(shown, look);
  let count = 0;
  let total = 0;
  for await (const page of pagesOf<Row>(service, path, query, limit)) {
    screen.print(...lines(page.data));
    count += page.count;
    total = page.totalCount;
  }
  if (count < total) screen.note(`${count} of ${total}; --all for all of them, --limit for more`);
}
