import type { SystemError } from '#clients';

/** Somebody in between answers so when the system has said nothing; it may have done the work. */
const ofOthers = new Set([408, 502, 504]);
const neverConnected = new Set([
  'ECONNREFUSED',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
  'UND_ERR_CONNECT_TIMEOUT',
]);

/** Whether the system may have done what the call that failed has asked of it. */
export function mayHaveArrived(error: SystemError): boolean {
  if (error.status !== undefined) return ofOthers.has(error.status);
  return error.reason !== 'left_alone' && !neverConnected.has(codeOf(error));
}

/** Of the innermost cause: what the operating system or the resolver says. */
function codeOf({ cause }: Error): string {
  if (!(cause instanceof Error)) return '';
  return codeOf(cause) || ('code' in cause ? String(cause.code) : '');
}
