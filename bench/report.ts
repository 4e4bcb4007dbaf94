export type Figure = {
  readonly bench: string;
  readonly subject: string;
  readonly metric: string;
  readonly value: number;
  readonly unit: string;
};

/** One object per line for programs, or one table per benchmark for people. */
export function print(figures: readonly Figure[], asJson: boolean): void {
  if (asJson) {
    for (const figure of figures) console.log(JSON.stringify(figure));
    return;
  }
  const subjects = [...new Set(figures.map(({ subject }) => subject))];
  const metrics = [...new Set(figures.map(({ metric }) => metric))];
  const cell = (metric: string, subject: string) => {
    const figure = figures.find((each) => each.metric === metric && each.subject === subject);
    return figure ? readable(figure.value) : '';
  };
  const unitOf = (metric: string) => figures.find((each) => each.metric === metric)?.unit ?? '';
  const rows = [
    ['', ...subjects, ''],
    ...metrics.map((metric) => [
      metric.replaceAll('_', ' '),
      ...subjects.map((subject) => cell(metric, subject)),
      unitOf(metric),
    ]),
  ];
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)));
  for (const row of rows) {
    const cells = row.map((text, column) =>
      column === 0 || column === row.length - 1
        ? text.padEnd(widths[column]!)
        : text.padStart(widths[column]!),
    );
    console.log(cells.join('  ').trimEnd());
  }
  console.log();
}

const readable = (value: number) =>
  Math.abs(value) >= 100
    ? Math.round(value).toLocaleString('en')
    : Number(value.toPrecision(3)).toString();

export const percentile = (values: readonly number[], share: number): number => {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? NaN;
};

export const median = (values: readonly number[]): number => percentile(values, 0.5);
