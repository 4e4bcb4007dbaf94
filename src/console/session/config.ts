import type { ConsoleConfig } from '../api-types.ts';

let loading: Promise<ConsoleConfig> | undefined;

/** Asked for once: it does not change while the broker runs. */
export function consoleConfig(): Promise<ConsoleConfig> {
  loading ??= fetch('/console/config.json').then((response) => {
    if (!response.ok) throw new Error(`the console's settings cannot be read (${response.status})`);
    return response.json() as Promise<ConsoleConfig>; // src/broker/console/serve-console.ts
  });
  // Whoever asks after a failure asks anew.
  loading.catch(() => (loading = undefined));
  return loading;
}
