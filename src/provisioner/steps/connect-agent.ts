import type { Kubeconfig } from '#clients';
import { done, wait, type Step } from '#engine';
import { minutes, seconds } from '#time';
import type { Services } from '../services.ts';
import type { Runtime } from '../tables/runtimes-table.ts';
import { theKubeconfig, theRuntime } from './the-runtime.ts';

/** The agent on the runtime can reach Director now, and is told to do so. */
export const connectAgent = (services: Services): Step => ({
  name: 'Connect_Agent',
  about: 'Gives the agent on the cluster a token, and has it connect to Director.',
  domain: 'Director',
  owner: 'Team Framefrog',
  retry: {
    every: seconds(10),
    upTo: minutes(1),
    within: services.settings.limits.agentConfiguration,
  },
  async run(context) {
    const runtime = await theRuntime(services, context);
    const kubeconfig = await theKubeconfig(services, runtime, context);
    if (!kubeconfig) return wait(seconds(20), 'there is no kubeconfig yet', 'gardener');
    await giveAgentItsConfiguration(services, runtime, kubeconfig, context.signal);
    return done();
  },
});

/** A new one-time token each time: one that was used, or lost, is of no use any more. */
export async function giveAgentItsConfiguration(
  { clients }: Services,
  { id, tenant }: Pick<Runtime, 'id' | 'tenant'>,
  kubeconfig: Kubeconfig,
  signal: AbortSignal,
): Promise<void> {
  const { director, openCluster, openInstaller } = clients;
  if (!director) return;
  const cluster = openCluster(kubeconfig);
  await cluster.ensureNamespace('kyma-system', signal);
  const { token, connectorURL } = await director.requestOneTimeToken(tenant, id, signal);
  await cluster.ensureAgentConfiguration(
    { connectorUrl: connectorURL, runtimeId: id, tenant, token },
    signal,
  );
  await openInstaller(kubeconfig).agent.connectAnew(signal);
}
