import type { Fault } from '../api-types.ts';
import { ApiError } from '../api/request.ts';

/** The faults that a click switches on; scripts can switch on others. */
export const faultKinds = {
  unavailable: { label: 'unavailable (503)', action: { kind: 'answer', status: 503 } },
  tooMany: { label: 'too many requests (429)', action: { kind: 'answer', status: 429 } },
  refused: { label: 'refuses (403)', action: { kind: 'answer', status: 403 } },
  slow: { label: 'slow (3 s)', action: { kind: 'delay', for: 3_000 } },
  reset: { label: 'breaks connections', action: { kind: 'reset' } },
  lost: { label: 'works, and its answers get lost', action: { kind: 'lost answer' } },
  stuck: { label: 'stuck: nothing moves', action: { kind: 'stuck' } },
  strange: { label: 'tells an unknown state', action: { kind: 'state', state: 'Strange' } },
} as const satisfies Record<string, { label: string; action: Fault['action'] }>;
export type FaultKind = keyof typeof faultKinds;

export const faultOf = (system: string, kind: FaultKind, path: string): Fault => ({
  system,
  action: faultKinds[kind].action,
  ...(path.trim() !== '' && { path: path.trim() }),
});

export function inShort({ action, method, path, field }: Fault): string {
  const where = [method, path, field].filter(Boolean).join(' ');
  const what =
    action.kind === 'answer'
      ? `answers ${action.status}`
      : action.kind === 'delay'
        ? `answers ${(action.for ?? 0) / 1_000} s later`
        : action.kind === 'state'
          ? `tells the state ${action.state}`
          : action.kind;
  return where === '' ? what : `${what}, for ${where}`;
}

/** The landscape's switches need no token: it listens on this machine alone. */
export async function askLandscape<Answer>(
  url: string,
  method = 'GET',
  body?: object,
): Promise<Answer> {
  const response = await fetch(url, {
    method,
    ...(body && { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
  }).catch((cause: unknown) => {
    throw new ApiError(0, 'The landscape cannot be reached.', { cause });
  });
  const text = await response.text();
  const told: unknown = text === '' ? undefined : JSON.parse(text);
  if (!response.ok)
    throw new ApiError(
      response.status,
      (told as { message?: string } | undefined)?.message ?? text,
    );
  return told as Answer; // src/landscape/steer.ts
}
