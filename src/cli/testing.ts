// For tests of kcp: command lines run in this process, with a home of their own. Not exported by the door of the module.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough, Writable } from 'node:stream';
import { MovableClock } from '#time';
import { runKcp } from './kcp.ts';
import type { Surroundings } from './surroundings.ts';

export type KcpRun = {
  readonly code: number;
  readonly output: string;
  /** What people are told beside it. */
  readonly notes: string;
  /** As the test expects it. */
  // oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- saves a cast in every test
  readonly json: <Content>() => Content;
};

export type KcpOptions = {
  readonly environment?: Readonly<Record<string, string>>;
  /** What is typed; undefined where nobody can be asked. */
  readonly typed?: string;
  /** So wide is the terminal; without it, output goes into a pipe. */
  readonly width?: number;
  readonly openPage?: (url: string) => void;
  /** Whenever something is told. */
  readonly onNote?: (text: string) => void;
  readonly onOutput?: (text: string) => void;
  readonly signal?: AbortSignal;
};

/** A user's machine, until it is disposed. */
export async function startMachine(environment: Readonly<Record<string, string>> = {}) {
  const home = await mkdtemp(join(tmpdir(), 'kcp-test-'));
  const clock = new MovableClock();
  const surroundings = (options: KcpOptions = {}) => {
    const input = Object.assign(new PassThrough(), { isTTY: options.typed !== undefined });
    input.end(options.typed ?? '');
    return {
      environment: { ...environment, ...options.environment },
      home,
      input,
      output: new Sink(options.width, options.onOutput),
      notes: new Sink(options.width, options.onNote),
      signal: options.signal ?? new AbortController().signal,
      clock,
      version: '1.2.3',
      openPage: options.openPage ?? (() => {}),
      loginPorts: [0], // any: other tests run at the same time
    } satisfies Surroundings;
  };
  const kcp = async (line: readonly string[], options: KcpOptions = {}): Promise<KcpRun> => {
    const around = surroundings(options);
    const code = await runKcp(line, around);
    const { output, notes } = around;
    return {
      code,
      output: output.text,
      notes: notes.text,
      json: () => JSON.parse(output.text) as never, // whatever it is to be
    };
  };
  return {
    home,
    clock,
    kcp,
    surroundings,
    path: (name: string) => join(home, name),
    [Symbol.asyncDispose]: () => rm(home, { recursive: true, force: true }),
  };
}

export type Machine = Awaited<ReturnType<typeof startMachine>>;

class Sink extends Writable {
  text = '';
  readonly isTTY: boolean;
  readonly columns: number;
  readonly #onText: ((text: string) => void) | undefined;

  constructor(width: number | undefined, onText?: (text: string) => void) {
    super({ decodeStrings: false });
    this.isTTY = width !== undefined;
    this.columns = width ?? 80;
    this.#onText = onText;
  }

  override _write(chunk: string, _encoding: string, done: () => void): void {
    this.text += chunk;
    this.#onText?.(chunk);
    done();
  }
}
