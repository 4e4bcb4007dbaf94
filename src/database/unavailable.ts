/**
 * Whether the error says that PostgreSQL is away (lost, refused, starting, stopping, full) and not that the query is
 * wrong: the same work may succeed once it is back. Whether a lost commit was carried out, only the database knows.
 */
export function isConnectionError(error: unknown): boolean {
  for (const each of causes(error)) {
    const code = 'code' in each && typeof each.code === 'string' ? each.code : '';
    if (unreachable.has(code) || code.startsWith('08') || messagesOfPg.has(each.message))
      return true;
    if (code === 'ENOENT' && 'syscall' in each && each.syscall === 'connect') return true;
  }
  return false;
}

const unreachable = new Set([
  '57P01', // admin_shutdown
  '57P02', // crash_shutdown
  '57P03', // cannot_connect_now: starting up or shutting down
  '53300', // too_many_connections
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  // The server's host is away, or its name is just moving to another one.
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
]);

// pg and pg-pool give these errors no code; a test meets the important ones, so that a new release cannot change them
// unnoticed.
const messagesOfPg = new Set([
  'Connection terminated',
  'Connection terminated unexpectedly',
  'Connection terminated due to connection timeout',
  'timeout expired',
  'timeout exceeded when trying to connect',
  'Client has encountered a connection error and is not queryable',
]);

/** The error, what caused it, and what an AggregateError gathers (one per address of a host with several). */
function* causes(error: unknown, seen = new Set<unknown>()): Generator<Error> {
  if (!(error instanceof Error) || seen.has(error)) return;
  seen.add(error);
  yield error;
  yield* causes(error.cause, seen);
  if (error instanceof AggregateError) for (const each of error.errors) yield* causes(each, seen);
}
