import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { deserialize, serialize } from 'node:v8';
import { z } from 'zod';
import { seconds, systemClock } from '#time';

const format = 1;
const Content = z.object({
  format: z.literal(format),
  /** Of the TLS server: kubeconfigs that were given out name its certificate. */
  identity: z.object({ key: z.string(), certificate: z.string() }),
  landscape: z.unknown(),
  /** By their names. */
  systems: z.record(z.string(), z.unknown()),
});
export type SavedLandscape = Omit<z.infer<typeof Content>, 'format'>;

export class StateFileError extends Error {
  override readonly name = 'StateFileError';
}

export const unreadable = (path: string, cause: unknown): StateFileError =>
  new StateFileError(
    `the state in ${path} cannot be read (${messageOf(cause)}): remove it to begin anew`,
    { cause },
  );

/** Undefined if there is no such file yet. */
export function readState(path: string): SavedLandscape | undefined {
  try {
    return Content.parse(deserialize(readFileSync(path)));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw unreadable(path, error);
  }
}

/** Where the landscape is kept: always one whole state, at most a second old while anything happens. */
export class StateFile {
  readonly #path: string;
  readonly #save: () => SavedLandscape;
  #callOff: (() => void) | undefined;
  #isClosed = false;

  constructor(path: string, save: () => SavedLandscape) {
    this.#path = path;
    this.#save = save;
  }

  changed(): void {
    if (this.#isClosed) return;
    this.#callOff ??= systemClock.after(seconds(1), () => {
      this.#callOff = undefined;
      try {
        this.write();
      } catch (error) {
        process.emitWarning(messageOf(error)); // the next change is the next try
      }
    });
  }

  /** Beside its place first: whoever ends the process leaves the old state or the new one. */
  write(): void {
    const beside = `${this.#path}.new`;
    try {
      const content = serialize({ format, ...this.#save() });
      rmSync(beside, { force: true });
      writeFileSync(beside, content, { mode: 0o600, flag: 'wx' }); // credentials are in it
      renameSync(beside, this.#path);
    } catch (error) {
      throw new StateFileError(
        `the state cannot be written to ${this.#path} (${messageOf(error)})`,
        { cause: error },
      );
    }
  }

  close(): void {
    this.#isClosed = true;
    this.#callOff?.();
    this.write();
  }
}

function messageOf(error: unknown): string {
  if (error instanceof z.ZodError) return z.prettifyError(error);
  return error instanceof Error ? error.message : String(error);
}
