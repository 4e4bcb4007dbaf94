import { done, wait, type Step } from '#engine';
import { minutes, seconds } from '#time';
import type { Services } from '../services.ts';
import { giveAgentItsConfiguration } from './connect-agent.ts';
import { theKubeconfig, theRuntime } from './the-runtime.ts';

const system = 'runtime agent';

/** The agent has reached Director. One that was refused gets a new token. */
export const awaitAgent = (services: Services): Step => ({
  name: 'Await_Agent',
  about: 'Waits until the agent has reached Director; one that was refused gets a new token.',
  domain: 'Director',
  owner: 'Team Framefrog',
  retry: { every: seconds(5), within: services.settings.limits.agentConnection },
  async run(context) {
    const { director, openInstaller } = services.clients;
    if (!director) return done();
    const { signal } = context;
    const runtime = await theRuntime(services, context);
    const kubeconfig = await theKubeconfig(services, runtime, context);
    if (!kubeconfig) return wait(seconds(20), 'there is no kubeconfig', 'gardener');
    const connection = await openInstaller(kubeconfig).agent.connection(signal);
    switch (connection.state) {
      case 'absent':
        return wait(seconds(5), 'the agent has not reported yet', system);
      case 'connecting':
        return wait(seconds(2), `the agent reports ${connection.reported || 'nothing'}`, system);
      case 'failed':
        await giveAgentItsConfiguration(services, runtime, kubeconfig, signal);
        return wait(
          minutes(2),
          `the agent could not connect, and got a new token: ${connection.error}`,
          system,
        );
      case 'connected': {
        const { id, tenant, description } = runtime;
        const registered = await director.runtime(tenant, id, signal);
        await director.updateRuntime(
          tenant,
          id,
          {
            name: registered?.name ?? description.name,
            ...(registered?.description !== undefined && { description: registered.description }),
            labels: registered?.labels ?? {},
            condition: 'CONNECTED',
          },
          signal,
        );
        return done();
      }
    }
  },
});
