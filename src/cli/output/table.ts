import { stripVTControlCharacters } from 'node:util';

export type Column<Row> = {
  readonly header: string;
  readonly value: (row: Row) => string;
  /** Only in `-o wide`. */
  readonly isWide?: boolean;
  /** No terminal is so narrow that it gets less than this. */
  readonly least?: number;
  readonly colour?: (text: string) => string;
};

export type TableLook = {
  /** Of the terminal; without it nothing is shortened. */
  readonly width?: number | undefined;
  readonly hasHeaders?: boolean;
};

const gap = 2;
const leastByDefault = 5;

/** Lines of a table. Widths are settled by the first rows; what comes later is shortened to fit, if it has to fit at all. */
export function tableWriter<Row>(columns: readonly Column<Row>[], look: TableLook = {}) {
  let widths: number[] | undefined;
  return (rows: readonly Row[]): string[] => {
    const cells = rows.map((row) => columns.map(({ value }) => oneLine(value(row))));
    const isFirst = widths === undefined;
    widths ??= fitted(columns, cells, look.width);
    const headers = columns.map(({ header }) => header);
    const settled = widths;
    return [
      ...(isFirst && look.hasHeaders !== false ? [line(headers, settled, look.width)] : []),
      ...cells.map((row) =>
        line(
          row,
          settled,
          look.width,
          columns.map(({ colour }) => colour),
        ),
      ),
    ];
  };
}

function fitted<Row>(
  columns: readonly Column<Row>[],
  cells: readonly (readonly string[])[],
  width: number | undefined,
): number[] {
  const widths = columns.map(({ header }, at) =>
    Math.max(header.length, ...cells.map((row) => lengthOf(row[at] ?? ''))),
  );
  if (width === undefined) return widths;
  const least = columns.map(({ least = leastByDefault }) => least);
  const total = () => widths.reduce((sum, each) => sum + each, gap * (widths.length - 1));
  while (total() > width) {
    // The widest one gives way: what it loses is missed least.
    const giving = widths
      .map((each, at) => [each, at] as const)
      .filter(([each, at]) => each > (least[at] ?? 0))
      .toSorted(([a], [b]) => b - a)[0];
    if (!giving) break;
    widths[giving[1]] = giving[0] - 1;
  }
  return widths;
}

function line(
  cells: readonly string[],
  widths: readonly number[],
  fitting: number | undefined,
  colours: readonly (((text: string) => string) | undefined)[] = [],
): string {
  return cells
    .map((cell, at) => {
      const width = widths[at] ?? 0;
      const text = fitting === undefined ? cell : shortened(cell, width);
      const padding =
        at === cells.length - 1 ? '' : ' '.repeat(Math.max(0, width - lengthOf(text)));
      return (colours[at]?.(text) ?? text) + padding;
    })
    .join(' '.repeat(gap))
    .trimEnd();
}

export function shortened(text: string, width: number): string {
  const characters = Array.from(text);
  return characters.length <= width
    ? text
    : `${characters.slice(0, Math.max(0, width - 1)).join('')}…`;
}

const lengthOf = (text: string) => Array.from(text).length;

/** What came from outside may hold line breaks and worse; a terminal must not obey it. */
export const oneLine = (text: string): string =>
  // oxlint-disable-next-line no-control-regex -- these are what is taken out
  stripVTControlCharacters(text).replaceAll(/[\u0000-\u001F\u007F-\u009F]+/g, ' ');

/** Colours have no width; a line with them is cut only if its text is too long, and then loses them. */
export function cut(line: string, width: number): string {
  const plain = oneLine(line);
  return Array.from(plain).length <= width ? line : shortened(plain, width);
}
