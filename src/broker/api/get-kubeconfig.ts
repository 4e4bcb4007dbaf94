import type { FastifyReply, FastifyRequest } from 'fastify';
import { isConnectionError } from '#database';
import { seconds } from '#time';
import type { Instance } from '../instance.ts';
import { effectiveOidc } from '../plans/cluster-access.ts';
import { kubeconfigOf } from '../steps/runtime-of.ts';
import type { Api, OpenHandler } from './api.ts';
import { findInstance, type InstanceState } from './instance-state.ts';
import { loginKubeconfig } from './login-kubeconfig.ts';
import { checkId } from './read-request.ts';
import type { ApiSettings } from './settings.ts';

/**
 * `GET /kubeconfig/:instance_id`: for the dashboard, and for people with kubectl. Open to everybody, as it opens nothing:
 * whoever uses it has to log in.
 */
export const getKubeconfig =
  (api: Api): OpenHandler =>
  async (request, reply) => {
    allowOrigin(api.api, request, reply);
    const { instanceId = '' } = request.params;
    const refuse = (status: number, Error: string) => reply.code(status).send({ Error });
    if (instanceId === '') return refuse(404, 'instanceID is required');
    checkId('instanceID', instanceId);
    const found = await findInstance(api, instanceId);
    if (!found || found.state === 'remains')
      return refuse(404, `instance with ID ${instanceId} not found`);
    const { instance, state } = found;
    if (instance.planName === 'own_cluster')
      return refuse(404, `the kubeconfig of instance ${instanceId} is the customer's own`);
    if (withoutCluster.has(state) || !instance.runtimeId)
      return refuse(404, `instance ${instanceId} has no cluster: ${state}`);
    try {
      const kubeconfig = await built(api, instance);
      return await reply
        .type('application/x-yaml')
        .header('content-disposition', 'attachment; filename=kubeconfig.yaml')
        .send(kubeconfig);
    } catch (error) {
      if (isConnectionError(error)) throw error;
      request.log.error({ err: error, instanceId }, 'a kubeconfig could not be built');
      const why = error instanceof Error ? error.message : 'unknown reason';
      return refuse(500, `cannot fetch SKR kubeconfig: ${why}`);
    }
  };

const withoutCluster: ReadonlySet<InstanceState> = new Set([
  'provisioning',
  'provision failed',
  'suspending',
  'suspended',
  'unsuspending',
] as const);

async function built(api: Api, instance: Instance): Promise<string> {
  const admin = await kubeconfigOf(api, instance, AbortSignal.timeout(seconds(25)));
  if (!admin) throw new Error('the provisioner has none');
  return loginKubeconfig(admin, effectiveOidc(instance.parameters.oidc, api.settings.cluster.oidc));
}

function allowOrigin(
  { kubeconfigOrigins: allowed }: ApiSettings,
  { headers: { origin } }: FastifyRequest,
  reply: FastifyReply,
): void {
  if (origin === undefined) return;
  if (allowed === '*') reply.header('access-control-allow-origin', '*');
  else if (allowed.includes(origin))
    reply.header('access-control-allow-origin', origin).header('vary', 'origin');
}
