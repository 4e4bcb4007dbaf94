import { z } from 'zod';
import { kubeconfigFor } from '../gardener/kubeconfig.ts';
import { keeping } from '../kept-state.ts';
import { KubernetesApi } from '../kubernetes/kubernetes-api.ts';
import { coreKinds, kyma as kymaKind, secret } from '../kubernetes/kinds.ts';
import type { MakeSystem } from '../simulated-system.ts';
import { addDemoConfiguration } from './demo-configuration.ts';
import { admitKyma } from './kyma-admission.ts';
import { KymaLifecycle } from './kyma-lifecycle.ts';
import { kymaStates } from './kyma-status.ts';

const namespaces = { kymas: 'kyma-system', configuration: 'kcp-system' };
export const token = 'token-of-the-control-plane';

/** The cluster that the services themselves run in: their configuration, and the Lifecycle Manager with its Kymas. */
export const controlPlaneWith =
  (options: { readonly hasLifecycleManager: boolean }): MakeSystem =>
  ({ time, secureUrl, certificate }) => {
    const api = new KubernetesApi({
      kinds: coreKinds,
      namespaces: Object.values(namespaces),
      now: () => time.date(),
      acceptsToken: (given) => given === token,
    });
    const lifecycle = new KymaLifecycle(api, time);
    addDemoConfiguration(api, namespaces.configuration);
    if (options.hasLifecycleManager) {
      api.addKind(kymaKind);
      api.hook(kymaKind, {
        admit: admitKyma,
        onCreate: (kyma) => lifecycle.onCreate(kyma),
        onUpdate: (kyma, before) => lifecycle.onUpdate(kyma, before),
        onDelete: (kyma) => lifecycle.onDelete(kyma),
      });
      api.hook(secret, {
        onCreate: (secret) => lifecycle.onSecret(secret),
        onUpdate: (secret) => lifecycle.onSecret(secret),
        onDelete: (secret) => lifecycle.onSecret(secret),
      });
    }

    return {
      name: 'control-plane',
      inventory: () => api.inventory(),
      state: keeping({ api, lifecycle }),
      serve(app) {
        app.get('/kubeconfig', async (_request, reply) =>
          reply
            .type('application/yaml')
            .send(kubeconfigFor('control-plane', secureUrl(), { token, certificate })),
        );
        // A switch that the real one does not have: how it goes with a Kyma, and whether it can ever be deleted.
        app.put<{ Params: { name: string } }>(
          '/kymas/:name',
          async ({ params: { name }, body }, reply) => {
            const staged = StagedKyma.safeParse(body);
            if (!staged.success)
              return reply.code(400).send({ message: z.prettifyError(staged.error) });
            const kyma = api.list(kymaKind).find(({ metadata }) => metadata.name === name);
            if (kyma) lifecycle.stage(kyma, staged.data);
            return reply.code(kyma ? 204 : 404).send();
          },
        );
        api.serve(app);
      },
    };
  };

export const controlPlane: MakeSystem = controlPlaneWith({ hasLifecycleManager: true });

const StagedKyma = z.strictObject({
  state: z.enum(kymaStates).optional(),
  isStuck: z.boolean().optional(),
});
