import { z } from 'zod';
import { seconds } from '#time';
import { keeping } from '../kept-state.ts';
import { KubernetesApi } from '../kubernetes/kubernetes-api.ts';
import { coreKinds, gardenerKinds, seed, shoot as shootKind } from '../kubernetes/kinds.ts';
import {
  timestamp,
  valueAt,
  type Fields,
  type KubernetesObject,
} from '../kubernetes/kubernetes-object.ts';
import { serveKubernetes } from '../kubernetes/serve-kubernetes.ts';
import { badRequest, invalid } from '../kubernetes/status-error.ts';
import type { MakeSystem } from '../simulated-system.ts';
import { addAccounts } from './accounts.ts';
import { kubeconfigFor } from './kubeconfig.ts';
import { RuntimeClusters } from './runtime-clusters.ts';
import { admitShoot } from './shoot-admission.ts';
import { ShootLifecycle } from './shoot-lifecycle.ts';

const namespace = 'garden-kyma';
const token = 'token-of-the-kyma-project';

/** Gardener: the project `kyma`, its accounts and shoots, and below `/runtimes/<shoot>` the clusters themselves. */
export const gardenerWith =
  (options: { readonly freeAccounts: number }): MakeSystem =>
  ({ time, secureUrl, certificate }) => {
    const api = new KubernetesApi({
      kinds: [...coreKinds, ...gardenerKinds],
      namespaces: [namespace],
      now: () => time.date(),
      acceptsToken: (given) => given === token,
    });
    const clusters = new RuntimeClusters(time, certificate, () => `${secureUrl()}/runtimes`);
    const lifecycle = new ShootLifecycle(api, time, clusters, namespace);
    addAccounts(api, namespace, options.freeAccounts);
    for (const type of ['azure', 'aws', 'gcp', 'openstack']) {
      api.create(seed, { metadata: { name: `${type}-eu1` }, spec: { provider: { type } } });
    }

    const adminkubeconfig = (shoot: KubernetesObject, body: unknown): Fields => {
      const { name } = shoot.metadata;
      const request = AdminKubeconfigRequest.safeParse(body);
      if (!request.success) throw badRequest(z.prettifyError(request.error));
      const lifetime = seconds(request.data.spec.expirationSeconds);
      if (valueAt(shoot, ['status', 'hibernated']) === true)
        throw invalid(shootKind, name, 'status.hibernated', 'Forbidden: the cluster is asleep');
      const kubeconfig = clusters.newKubeconfig(name, lifetime);
      if (kubeconfig === undefined) {
        const why = 'Invalid value: []: no address of the API server is known yet';
        throw invalid(shootKind, name, 'status.advertisedAddresses', why);
      }
      const expirationTimestamp = timestamp(new Date(time.date().getTime() + lifetime));
      return {
        ...request.data,
        status: { kubeconfig: Buffer.from(kubeconfig).toString('base64'), expirationTimestamp },
      };
    };
    api.hook(shootKind, {
      admit: admitShoot(api),
      onCreate: (shoot) => lifecycle.onCreate(shoot),
      onUpdate: (shoot, before) => lifecycle.onUpdate(shoot, before),
      onDelete: (shoot) => lifecycle.onDelete(shoot),
      subresources: { adminkubeconfig },
    });

    return {
      name: 'gardener',
      inventory: () => ({
        ...api.inventory(),
        runtimes: clusters.inventory().map((runtime) => {
          const { metadata } = api.get(shootKind, { namespace, name: runtime.shoot }) ?? {};
          return { ...runtime, ...(metadata && api.askedBy(metadata)) };
        }),
      }),
      state: keeping({ api, clusters, lifecycle }),
      serve(app) {
        app.get('/kubeconfig', async (_request, reply) =>
          reply
            .type('application/yaml')
            .send(kubeconfigFor('kyma', secureUrl(), { token, certificate })),
        );
        // A switch that the real one does not have: how the present operation of a shoot goes, or went.
        app.put<{ Params: { name: string } }>(
          '/shoots/:name/operation',
          async ({ params: { name }, body }, reply) => {
            const staged = StagedOperation.safeParse(body);
            if (!staged.success)
              return reply.code(400).send({ message: z.prettifyError(staged.error) });
            const shoot = api.get(shootKind, { namespace, name });
            if (shoot) lifecycle.stage(shoot, staged.data);
            return reply.code(shoot ? 204 : 404).send();
          },
        );
        // Another one: whether Gardener says that the shoot can be put to sleep.
        app.put<{ Params: { name: string } }>(
          '/shoots/:name/hibernation',
          async ({ params: { name }, body }, reply) => {
            const wish = z.strictObject({ isPossible: z.boolean() }).safeParse(body);
            if (!wish.success)
              return reply.code(400).send({ message: z.prettifyError(wish.error) });
            const shoot = api.get(shootKind, { namespace, name });
            if (shoot) lifecycle.allowHibernation(shoot, wish.data.isPossible);
            return reply.code(shoot ? 204 : 404).send();
          },
        );
        app.addHook('preClose', async () => clusters.close());
        serveKubernetes(app, '/runtimes/:shoot', ({ shoot = '' }) => clusters.find(shoot));
        api.serve(app);
      },
    };
  };

export const gardener: MakeSystem = gardenerWith({ freeAccounts: 10 });

const StagedOperation = z.strictObject({
  state: z.enum(['Processing', 'Succeeded', 'Error', 'Failed', 'Pending', 'Aborted']),
  type: z.enum(['Create', 'Reconcile', 'Delete']).optional(),
  errors: z
    .array(z.strictObject({ description: z.string(), codes: z.array(z.string()).default([]) }))
    .default([]),
});

const AdminKubeconfigRequest = z.looseObject({
  spec: z.object({ expirationSeconds: z.int().min(600).max(86_400) }),
});
