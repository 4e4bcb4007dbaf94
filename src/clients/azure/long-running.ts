import { z } from 'zod';
import { minutes, seconds, type Milliseconds } from '#time';

/** What Azure says of work that it goes on with by itself. `state` is Azure's own word, known to us or not. */
export type AzureProgress =
  | {
      readonly kind: 'running';
      readonly state: string;
      /** How long to leave Azure alone; a minute if it did not say. */
      readonly retryAfter: Milliseconds;
      /** Where to ask again. */
      readonly next: AzurePoll;
    }
  | { readonly kind: 'succeeded'; readonly state: string }
  | { readonly kind: 'failed'; readonly state: string; readonly reason: string };

/** Plain data, so that a step can store it. */
export type AzurePoll = {
  /** An operation tells its status in words, a location by its HTTP status, the resource by its provisioning state. */
  readonly kind: 'operation' | 'location' | 'resource';
  readonly url: string;
};

export const OperationStatus = z.object({
  status: z.string().min(1),
  error: z.object({ code: z.string().optional() }).nullish(),
});

export const ResourceStatus = z.object({
  properties: z.object({ provisioningState: z.string().min(1) }),
});

/** Where an answer tells us to ask for the progress of what was begun: the operation before the location. */
export function pollOf(headers: Headers): AzurePoll | undefined {
  const operation = headers.get('azure-asyncoperation');
  if (operation) return { kind: 'operation', url: operation };
  const location = headers.get('location');
  return location ? { kind: 'location', url: location } : undefined;
}

export function progressOf(
  state: string,
  headers: Headers,
  next: AzurePoll,
  reason = '',
): AzureProgress {
  switch (state.toLowerCase()) {
    case 'succeeded':
      return { kind: 'succeeded', state };
    case 'failed':
    case 'canceled':
      return { kind: 'failed', state, reason: /^\w{1,64}$/.test(reason) ? reason : 'unknown' };
    default:
      return { kind: 'running', state, retryAfter: retryAfterOf(headers), next };
  }
}

export function retryAfterOf(headers: Headers): Milliseconds {
  const wanted = Number(headers.get('retry-after'));
  return wanted > 0 ? seconds(wanted) : minutes(1);
}
