import { z } from 'zod';
import { isTemporaryStatus } from '../system-error.ts';

/**
 * States of the subscription that pass: the group of a previous run is still being deleted, or what was created a moment
 * ago is not known everywhere yet. Creating again is safe, so they are worth another try in spite of their status.
 */
const passing: ReadonlySet<string> = new Set([
  'AnotherOperationInProgress',
  'Conflict',
  'ParentResourceNotFound',
  'ResourceGroupBeingDeleted',
  'ResourceGroupNotFound',
  'ResourceNotFound',
]);

export function classify(status: number, body: string): { temporary: boolean; reason: string } {
  const reason = reasonOf(body);
  const passes = (status === 404 || status === 409) && passing.has(reason);
  return { temporary: passes || isTemporaryStatus(status), reason };
}

const Code = z.string().regex(/^\w{1,64}$/);
const ErrorAnswer = z.object({
  error: z.union([Code, z.object({ code: Code }).transform(({ code }) => code)]),
});

/** Azure's own code for the error: `{"error":{"code":"…"}}`, and from Azure AD `{"error":"…"}`. Nothing else is taken over. */
export function reasonOf(body: string): string {
  try {
    return ErrorAnswer.parse(JSON.parse(body)).error;
  } catch {
    return 'err_http_status_code';
  }
}
