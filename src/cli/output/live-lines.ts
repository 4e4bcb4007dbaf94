import type { Terminal } from '../surroundings.ts';
import { cut } from './table.ts';

/** What changes while one looks at it: redrawn in place on a terminal; elsewhere its news, line by line. */
export class LiveLines {
  readonly #terminal: Terminal;
  #drawn = 0;
  #told = '';

  constructor(terminal: Terminal) {
    this.#terminal = terminal;
  }

  /** `news` says the same as the picture in one line, without what changes all the time. */
  show(picture: readonly string[], news: { readonly at: string; readonly text: string }): void {
    if (this.#terminal.isTTY !== true) {
      if (news.text === this.#told) return;
      this.#told = news.text;
      this.#terminal.write(`${news.at} ${news.text}\n`);
      return;
    }
    const up = this.#drawn > 0 ? `\u001B[${this.#drawn}A` : '';
    const lines = this.#fitting(picture);
    this.#terminal.write(`${up}\r${lines.map((line) => `\u001B[2K${line}\n`).join('')}\u001B[J`);
    this.#drawn = lines.length;
  }

  /** What is wider or higher than the terminal could not be drawn over: the first line and the last ones stay. */
  #fitting(picture: readonly string[]): string[] {
    const { rows = 24, columns = 80 } = this.#terminal;
    const [first = '', ...rest] = picture;
    return [first, ...rest.slice(-(Math.max(rows, 3) - 2))].map((line) => cut(line, columns));
  }
}
