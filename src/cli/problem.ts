/** How kcp ends. Documented in `kcp --help` and docs/how-to/use-kcp.md, which a test compares. */
export const exitCodes = {
  fine: [0, 'all went well'],
  error: [1, 'something went wrong'],
  usage: [2, 'the command line or the configuration is not right'],
  notAllowed: [3, 'not logged in, or no right to do this'],
  notFound: [4, 'there is no such thing'],
  operationFailed: [5, 'the watched operation, orchestration or job failed'],
  interrupted: [130, 'interrupted by Ctrl-C'],
} as const satisfies Record<string, readonly [code: number, meaning: string]>;

export type Ending = keyof typeof exitCodes;

/** What kcp tells its user in one line: what happened, where, and what to do. */
export class Problem extends Error {
  override readonly name = 'Problem';
  readonly ending: Ending;

  constructor(ending: Ending, message: string, options?: ErrorOptions) {
    super(message, options);
    this.ending = ending;
  }
}

export const usage = (message: string) => new Problem('usage', message);
