import { seconds } from '#time';
import { isTemporaryStatus, SystemError } from '../system-error.ts';
import { anonymous, withinLimits, type SystemLimits } from '../system-limits.ts';

type Download = { readonly url: string; readonly what: string; readonly signal: AbortSignal };

/** Gets public files, as text. Unlike calls of an API, downloads are often redirected to where the file lies. */
export function downloads(
  system: string,
  settings: SystemLimits,
): (download: Download) => Promise<string> {
  const isOutage = (error: unknown) => error instanceof SystemError && error.temporary;
  const limits = withinLimits(system, settings, isOutage);

  async function once({ url, what, signal }: Download): Promise<string> {
    let response;
    let text;
    try {
      response = await fetch(url, {
        headers: { 'user-agent': settings.caller ?? anonymous },
        signal: limits.signalFor(signal),
      });
      text = await response.text();
    } catch (cause) {
      signal.throwIfAborted();
      throw new SystemError(system, `${system}: cannot ${what}: no answer`, {
        temporary: true,
        reason: 'unreachable',
        cause,
      });
    }
    const { status, headers } = response;
    if (status === 200) return text;
    const after = Number(headers.get('retry-after'));
    throw new SystemError(system, `${system}: cannot ${what}: status ${status}`, {
      temporary: isTemporaryStatus(status),
      reason: 'err_http_status_code',
      status,
      ...(after > 0 && { retryAfter: seconds(after) }),
    });
  }

  return (download) => limits.run(download.signal, () => once(download));
}
