import { z } from 'zod';
import { isTemporaryStatus } from '../system-error.ts';
import { readXml } from './read-xml.ts';

/** Of a volume that is gone. */
export const volumeNotFound = 'InvalidVolume.NotFound';

/** They pass, whatever their status is: a machine lets go of its volume, a deletion comes to its end, others ask less. */
const passing: ReadonlySet<string> = new Set([
  'IncorrectState',
  'RequestLimitExceeded',
  'VolumeInUse',
]);

export function classify(status: number, body: string): { temporary: boolean; reason: string } {
  const reason = reasonOf(body);
  return { temporary: passing.has(reason) || isTemporaryStatus(status), reason };
}

const Code = z
  .string()
  .max(64)
  .regex(/^\w+(?:\.\w+)*$/);
const ErrorAnswer = z.object({
  Response: z.object({ Errors: z.object({ Error: z.object({ Code }) }) }),
});

/** AWS's own code for the error. Nothing else is taken over. */
function reasonOf(body: string): string {
  try {
    return ErrorAnswer.parse(readXml(body)).Response.Errors.Error.Code;
  } catch {
    return 'err_http_status_code';
  }
}
