import type { Milliseconds } from '#time';

/** An outside system failed. Says which, and whether another try may mend it. Holds no credential and no body. */
export class SystemError extends Error {
  override readonly name = 'SystemError';
  /** 'edp', 'avs', …: as in the landscape, in metrics and in explanations. */
  readonly system: string;
  readonly temporary: boolean;
  /** A code to match on: 'err_edp_conflict', 'err_http_status_code', 'unreachable', 'wrong_answer'. */
  readonly reason: string;
  readonly status: number | undefined;
  /** Whose turn it is: ours, if the system works and refuses what we send. */
  readonly failureClass: 'system' | 'us';
  /** How long the system asked to be left alone. */
  readonly retryAfter: Milliseconds | undefined;

  constructor(
    system: string,
    message: string,
    details: {
      readonly temporary: boolean;
      readonly reason: string;
      readonly status?: number;
      readonly retryAfter?: Milliseconds;
      readonly cause?: unknown;
    },
  ) {
    super(message, details.cause === undefined ? {} : { cause: details.cause });
    this.system = system;
    this.temporary = details.temporary;
    this.reason = details.reason;
    this.status = details.status;
    this.failureClass = isRefusal(details) ? 'us' : 'system';
    this.retryAfter = details.retryAfter;
  }
}

const isRefusal = ({ status = 0, temporary }: { status?: number; temporary: boolean }) =>
  status === 401 || status === 403 || (!temporary && status >= 400 && status < 500);

/** Transport, 408, 429 and 5xx are temporary; any other unexpected status is permanent. */
export const isTemporaryStatus = (status: number): boolean =>
  status === 408 || status === 429 || status >= 500;
