import { z } from 'zod';
import type { KubernetesConnection } from '../kubernetes/kubernetes-connection.ts';
import { Kubeconfig } from '../provisioner/kubeconfig.ts';
import { SystemError } from '../system-error.ts';
import type { KymaMetadata } from './kyma-resource.ts';
import { collectionPath, objectPath, type KymaPlace } from './object-path.ts';

export type KubeconfigSecrets = {
  /** Creates the Secret, or makes it so; safe to repeat. */
  readonly storeKubeconfig: (
    namespace: string,
    metadata: KymaMetadata,
    kubeconfig: Kubeconfig,
    signal: AbortSignal,
  ) => Promise<void>;
  readonly readKubeconfig: (
    kyma: KymaPlace,
    signal: AbortSignal,
  ) => Promise<Kubeconfig | undefined>;
  /** What is gone already is as good as deleted. */
  readonly deleteKubeconfig: (kyma: KymaPlace, signal: AbortSignal) => Promise<void>;
};

const Secret = z.object({ data: z.object({ config: z.base64().min(1) }) });

const secretName = (kymaName: string) => `kubeconfig-${kymaName}`;

export function kubeconfigSecrets(connection: KubernetesConnection): KubeconfigSecrets {
  return {
    async storeKubeconfig(namespace, { name, labels, annotations }, kubeconfig, signal) {
      const body = {
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: { name: secretName(name), namespace, labels, annotations },
        data: { config: Buffer.from(kubeconfig.reveal()).toString('base64') },
      };
      const create = () =>
        connection.request({
          method: 'POST',
          path: collectionPath('api/v1', namespace, 'secrets'),
          body,
          what: `create the kubeconfig of Kyma ${name}`,
          signal,
        });
      try {
        await create();
      } catch (error) {
        if (!(error instanceof SystemError) || error.reason !== 'AlreadyExists') throw error;
        const updated = await connection.find({
          method: 'PUT',
          path: pathOf(namespace, name),
          body,
          answer: z.object({}),
          what: `update the kubeconfig of Kyma ${name}`,
          signal,
        });
        if (!updated) await create(); // somebody deleted it in between
      }
    },

    async readKubeconfig({ namespace, name }, signal) {
      const secret = await connection.find({
        method: 'GET',
        path: pathOf(namespace, name),
        answer: Secret,
        what: `read the kubeconfig of Kyma ${name}`,
        signal,
      });
      return secret && new Kubeconfig(Buffer.from(secret.data.config, 'base64').toString());
    },

    async deleteKubeconfig({ namespace, name }, signal) {
      const path = pathOf(namespace, name);
      const what = `delete the kubeconfig of Kyma ${name}`;
      await connection.find({ method: 'DELETE', path, what, signal });
    },
  };
}

const pathOf = (namespace: string, kymaName: string) =>
  objectPath('api/v1', namespace, 'secrets', kymaName && secretName(kymaName));
