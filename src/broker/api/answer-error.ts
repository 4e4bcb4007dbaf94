import type { Logger } from 'pino';
import { AccessDenied } from '#access';
import { AuditLogUnavailable } from '#audit';
import { isConnectionError } from '#database';
import { SubjectBusy } from '#engine';
import { Refusal, refusals } from '../errors.ts';
import { InvalidParameters } from '../plans/invalid-parameters.ts';
import type { Answer } from './api.ts';

type Asked = { readonly requestId: string; readonly log: Logger };

/** Every error as callers see it. What is our fault, they can name to us by the id of their request, and learn no more. */
export function answerError(error: unknown, asked: Asked): Answer {
  const known = refusalOf(error);
  if (known)
    return { status: refusals[known.code].status, body: bodyOf(known), headers: headersOf(error) };
  if (error instanceof AuditLogUnavailable) {
    asked.log.error({ err: error }, 'an act could not be recorded');
    const description = `this could not be recorded, and may have been done all the same: look before you try again (request ${asked.requestId})`;
    return { status: 503, body: { description }, headers: { 'retry-after': '5' } };
  }
  const status = statusOf(error);
  if (status < 500) return { status, body: { description: messageOf(error) } };
  if (isConnectionError(error)) {
    asked.log.warn({ err: error }, 'the database cannot be reached');
    const description = 'this broker cannot store anything at the moment: try again';
    return { status: 503, body: { description }, headers: { 'retry-after': '5' } };
  }
  asked.log.error({ err: error }, 'a request failed by our fault');
  return { status: 500, body: { description: `internal error (request ${asked.requestId})` } };
}

function refusalOf(error: unknown): Refusal | undefined {
  if (error instanceof Refusal) return error;
  if (error instanceof InvalidParameters)
    return new Refusal('MALFORMED_REQUEST', error.message, { cause: error });
  if (error instanceof AccessDenied)
    return new Refusal(error.status === 401 ? 'UNAUTHORIZED' : 'FORBIDDEN', error.message, {
      cause: error,
    });
  if (error instanceof SubjectBusy)
    return new Refusal('OPERATION_IN_PROGRESS', error.message, { cause: error });
  return undefined;
}

/** Whoever was not known is told what to bring. */
function headersOf(error: unknown): Readonly<Record<string, string>> {
  if (!(error instanceof AccessDenied) || error.challenges.length === 0) return {};
  return { 'www-authenticate': error.challenges.join(', ') };
}

function bodyOf({ code, message, consequences }: Refusal) {
  const refusal = refusals[code];
  return {
    ...('osbError' in refusal && { error: refusal.osbError }),
    description: message,
    ...consequences,
  };
}

/** Of what could not even be read: a body that is too large, a URL that is none. */
function statusOf(error: unknown): number {
  if (typeof error !== 'object' || error === null || !('statusCode' in error)) return 500;
  return typeof error.statusCode === 'number' ? error.statusCode : 500;
}

const messageOf = (error: unknown) =>
  (error instanceof Error && error.message) || 'the request cannot be processed';
