/** Why an operation failed, or a step will be tried again, as people see it. Holds no secret and no stack. */
export type Failure = {
  /** Whose turn it is: the caller's, an outside system's, or ours. */
  readonly class: 'user' | 'system' | 'us';
  readonly message: string;
  readonly system?: string;
  /** A code to match and to group by: 'err_edp_conflict', 'time_limit', 'ECONNREFUSED'. */
  readonly reason?: string;
  /** With which the system has answered. */
  readonly status?: number;
  readonly step?: string;
  /** What to do next, where the error knows better than the rules. */
  readonly action?: string;
};

/** What an error may say about itself. Errors of clients do; the engine asks for no base class. */
type SpeakingError = {
  readonly temporary?: unknown;
  readonly failureClass?: unknown;
  readonly system?: unknown;
  readonly reason?: unknown;
  readonly action?: unknown;
  readonly code?: unknown;
  readonly status?: unknown;
  readonly statusCode?: unknown;
  readonly retryAfter?: unknown;
};

/** A step or an operation took longer than it may. */
export class TimeLimitReached extends Error {
  override readonly name = 'TimeLimitReached';
  readonly reason = 'time_limit';
}

/** A step has met as many temporary errors in a row as it may. */
export class AttemptLimitReached extends Error {
  override readonly name = 'AttemptLimitReached';
  readonly reason = 'attempt_limit';
}

/** One run of a step took too long: worth another try. */
export class RunTookTooLong extends Error {
  override readonly name = 'RunTookTooLong';
  readonly reason = 'run_time_limit';
  readonly temporary = true;
}

/** Broken for now: another try may mend it. What an error says of itself (or its cause) counts before what it looks like. */
export function isTemporary(error: unknown): boolean {
  for (const link of chain(error)) if (typeof link.temporary === 'boolean') return link.temporary;
  return chain(error).some(
    ({ code, status, statusCode }) =>
      networkCodes.has(String(code)) ||
      transientSqlStates.test(String(code)) ||
      [code, status, statusCode].some(
        (number) => typeof number === 'number' && temporaryStatus(number),
      ),
  );
}

/** How long the outside system asked us to leave it alone, in milliseconds. */
export function retryAfter(error: unknown): number {
  const asked = chain(error).find((link) => typeof link.retryAfter === 'number')?.retryAfter;
  return typeof asked === 'number' && asked > 0 ? asked : 0;
}

export function describeFailure(error: unknown, step?: string): Failure {
  const links = chain(error);
  const said = (key: 'system' | 'reason' | 'action') =>
    links.map((link) => link[key]).find((value) => typeof value === 'string' && value !== '');
  const system = said('system');
  const claimed = links.map((link) => link.failureClass).find(isFailureClass);
  const code = links.map((link) => link.code).find((value) => typeof value === 'string');
  const reason = said('reason') ?? code;
  const action = said('action');
  const status = links.find((link) => typeof link.system === 'string')?.status;
  return {
    class: claimed ?? (system === undefined ? 'us' : 'system'),
    message: message(error),
    ...(typeof system === 'string' && { system: storable(system) }),
    ...(typeof reason === 'string' && { reason: storable(reason) }),
    ...(typeof status === 'number' && { status }),
    ...(step !== undefined && { step }),
    ...(typeof action === 'string' && { action: storable(action) }),
  };
}

const networkCodes = new Set(
  `ECONNREFUSED ECONNRESET ECONNABORTED EPIPE ETIMEDOUT EAI_AGAIN ENETUNREACH EHOSTUNREACH ENOTFOUND
   UND_ERR_CONNECT_TIMEOUT UND_ERR_HEADERS_TIMEOUT UND_ERR_BODY_TIMEOUT UND_ERR_SOCKET`.split(
    /\s+/,
  ),
);
// Lost connections, server going down or coming up, serialization failure, deadlock, too many connections.
const transientSqlStates = /^(08...|57P0[123]|40001|40P01|53300)$/;
const temporaryStatus = (status: number) =>
  status >= 500 ? status <= 599 : [408, 409, 429].includes(status);
const isFailureClass = (value: unknown) => value === 'user' || value === 'system' || value === 'us';

/** The error, its causes, and what an AggregateError collected; each once, because a cause may lead back. */
function chain(error: unknown, seen = new Set<unknown>()): SpeakingError[] {
  if (typeof error !== 'object' || error === null || seen.has(error) || seen.size >= 64) return [];
  seen.add(error);
  const inner: unknown[] = error instanceof AggregateError ? error.errors : [];
  return [error, ...[(error as Error).cause, ...inner].flatMap((cause) => chain(cause, seen))];
}

function message(error: unknown): string {
  const text = error instanceof Error ? error.message || error.name : String(error);
  return storable(text);
}

/** As much of a text as people read, without what PostgreSQL does not store: NUL, and halves of characters. */
export const storable = (text: string): string =>
  text.slice(0, 2_000).toWellFormed().replaceAll('\0', '');
