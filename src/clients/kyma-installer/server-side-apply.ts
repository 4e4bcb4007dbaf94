import type { z } from 'zod';
import type { KubernetesConnection } from '../kubernetes/kubernetes-connection.ts';

export const fieldManager = 'provisioner';

/** Creates the object or makes it so: what was applied before and is left out now goes. Safe to repeat. */
export const serverSideApply = <Answer = undefined>(
  connection: KubernetesConnection,
  request: {
    readonly path: string;
    readonly object: object;
    readonly what: string;
    readonly signal: AbortSignal;
    readonly answer?: z.ZodType<Answer>;
  },
): Promise<Answer> => {
  const { object, ...others } = request;
  return connection.request({
    ...others,
    method: 'PATCH',
    query: { fieldManager, force: 'true' },
    contentType: 'application/apply-patch+yaml',
    body: object,
  });
};
