import type { ResponseContext } from '@kubernetes/client-node';
import { z } from 'zod';
import { seconds } from '#time';
import { isTemporaryStatus, SystemError } from '../system-error.ts';

const Status = z.object({ kind: z.literal('Status'), reason: z.string().min(1) });

/** A kind that is not served here: a 404 like that of a missing object, but not worded by the API machinery. */
export const noSuchKind = 'err_k8s_no_match_error';

/** Of the answer's body only the reason is kept: messages may repeat what we sent. */
export function refusal(
  system: string,
  what: string,
  { httpStatusCode: status, headers }: ResponseContext,
  text: string,
): SystemError {
  const known = Status.safeParse(jsonOf(text));
  const unknown = status === 404 ? noSuchKind : 'err_http_status_code';
  const after = Number(headers['retry-after']);
  return new SystemError(system, `${system}: cannot ${what}: status ${status}`, {
    // 409: somebody else was faster. 410: a list was read too slowly. Both succeed on fresh data.
    temporary: isTemporaryStatus(status) || status === 409 || status === 410,
    reason: known.success ? known.data.reason : unknown,
    status,
    ...(after > 0 && { retryAfter: seconds(after) }),
  });
}

export function parsed<Answer>(
  system: string,
  { what, answer }: { readonly what: string; readonly answer?: z.ZodType<Answer> },
  text: string,
): Answer {
  if (!answer) return undefined as Answer; // nobody asked for a shape, so nobody looks at it
  const result = answer.safeParse(jsonOf(text));
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  const field = issue?.path.map(String).join('.') ?? '';
  const why = `${field || 'the whole'}: ${issue?.message ?? 'wrong shape'}`;
  throw new SystemError(
    system,
    `${system}: cannot ${what}: the answer is not as expected: ${why}`,
    { temporary: true, reason: 'wrong_answer' },
  );
}

/** Undefined if it is none. The parser's own error quotes the text, and that may be a credential. */
function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
