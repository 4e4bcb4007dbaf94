import type { ConsoleConfig } from './api-types.ts';

/** What every page is given: the words of its address, and how the console is set up. */
export type PageProps = {
  readonly parameters: Readonly<Record<string, string>>;
  readonly config: ConsoleConfig;
};
