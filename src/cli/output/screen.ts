import { createInterface } from 'node:readline/promises';
import { Problem, usage } from '../problem.ts';
import type { Surroundings } from '../surroundings.ts';
import { paint, type Paint } from './colours.ts';
import { outputFormat } from './output-format.ts';
import { tableWriter, type Column } from './table.ts';

export type OutputFlags = { readonly output?: string; readonly headers?: boolean };

/** Where commands write, and where they ask. */
export type Screen = {
  readonly colour: Paint;
  readonly width: number | undefined;
  readonly print: (...lines: readonly string[]) => void;
  /** To people alone: never in a pipe. */
  readonly note: (line: string) => void;
  readonly json: (value: unknown) => void;
  /** One thing, or a list of them, as `-o` wants it. `sheet` is how a single one looks without `-o`. */
  readonly show: <Row extends object>(
    rows: readonly Row[],
    columns: readonly Column<Row>[],
    flags: OutputFlags,
    answer?: unknown,
  ) => void;
  readonly confirm: (question: string, isYes: boolean | undefined) => Promise<void>;
};

export function screenOf({ output, notes, input, environment, signal }: Surroundings): Screen {
  const isTerminal = output.isTTY === true;
  const isColourful = isTerminal && !environment['NO_COLOR'] && environment['TERM'] !== 'dumb';
  const width = isTerminal ? (output.columns ?? 80) : undefined;
  const print = (...lines: readonly string[]) => {
    if (lines.length > 0) output.write(`${lines.join('\n')}\n`);
  };
  const json = (value: unknown) => print(JSON.stringify(value, null, 2));
  const note = (line: string) => void notes.write(`${line}\n`);
  return {
    colour: paint(isColourful),
    width,
    print,
    note,
    json,
    show(rows, columns, { output: wanted, headers }, answer = rows) {
      const format = outputFormat(wanted);
      const hasHeaders = headers !== false;
      switch (format.kind) {
        case 'json':
          return json(answer);
        case 'custom':
          return print(...tableWriter<object>(format.columns, { width, hasHeaders })(rows));
        case 'wide':
          return print(...tableWriter(columns, { hasHeaders })(rows));
        case 'table': {
          const narrow = columns.filter(({ isWide }) => !isWide);
          return print(...tableWriter(narrow, { width, hasHeaders })(rows));
        }
      }
    },
    async confirm(question, isYes) {
      if (isYes) return;
      if (input.isTTY !== true)
        throw usage(`${question} Nobody can be asked here: say --yes to go on`);
      const lines = createInterface({ input, output: notes });
      try {
        const answer = await lines.question(`${question} [y/N] `, { signal });
        if (!/^y(?:es)?$/i.test(answer.trim())) throw new Problem('error', 'nothing was done');
      } finally {
        lines.close();
      }
    },
  };
}
