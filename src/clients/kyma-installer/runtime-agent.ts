import { z } from 'zod';
import type { KubernetesConnection } from '../kubernetes/kubernetes-connection.ts';
import { ifServed } from './if-served.ts';
import { fieldManager } from './server-side-apply.ts';

/** The agent in a runtime, which connects it to Director with the one-time token of its Secret. */
export type RuntimeAgent = {
  readonly connection: (signal: AbortSignal) => Promise<AgentConnection>;
  /**
   * Makes an agent that is connected already look at its credentials anew, after its Secret was written. False if it has
   * never connected: it will look at them by itself.
   */
  readonly connectAnew: (signal: AbortSignal) => Promise<boolean>;
};

/** What counts, and in `reported` how the agent calls it. */
export type AgentConnection =
  | { readonly state: 'absent' }
  | { readonly state: 'connecting'; readonly reported: string }
  | { readonly state: 'connected'; readonly reported: string }
  | { readonly state: 'failed'; readonly reported: string; readonly error: string };

/** In some of these the agent has trouble with what it reads from Director: then it has reached it. */
const connectedStates = ['Synchronized', 'SynchronizationFailed', 'MetadataUpdateFailed'];

const path = '/apis/compass.kyma-project.io/v1alpha1/compassconnections/compass-connection';
const CompassConnection = z.object({
  spec: z.object({ refreshCredentialsNow: z.boolean().default(false) }).prefault({}),
  status: z
    .object({
      connectionState: z.string().default(''),
      connectionStatus: z.object({ error: z.string().optional() }).nullish(),
    })
    .prefault({}),
});

export const runtimeAgent = (connection: KubernetesConnection): RuntimeAgent => ({
  async connection(signal) {
    const found = await ifServed(
      connection.find({
        method: 'GET',
        path,
        answer: CompassConnection,
        what: 'get the connection of the agent',
        signal,
      }),
    );
    if (!found) return { state: 'absent' };
    const { connectionState: reported, connectionStatus } = found.status;
    // Until the agent has done what it was asked for, its report is that of the time before.
    if (found.spec.refreshCredentialsNow) return { state: 'connecting', reported };
    if (connectedStates.includes(reported)) return { state: 'connected', reported };
    if (reported !== 'ConnectionFailed') return { state: 'connecting', reported };
    return { state: 'failed', reported, error: connectionStatus?.error ?? '' };
  },

  async connectAnew(signal) {
    const found = connection.find({
      method: 'PATCH',
      path,
      query: { fieldManager },
      contentType: 'application/merge-patch+json',
      body: { spec: { refreshCredentialsNow: true } },
      answer: CompassConnection,
      what: 'make the agent connect anew',
      signal,
    });
    return (await ifServed(found)) !== undefined;
  },
});
