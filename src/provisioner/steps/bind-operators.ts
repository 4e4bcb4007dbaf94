import { done, skip, wait, type Step } from '#engine';
import { seconds } from '#time';
import type { Services } from '../services.ts';
import { theKubeconfig, theRuntime, theShoot } from './the-runtime.ts';

/** Who may work in the cluster. */
export const bindOperators = (services: Services): Step => ({
  name: 'Bind_Operators',
  about: 'Lets operators and administrators work in the cluster.',
  domain: 'Runtime cluster',
  owner: 'Team Framefrog',
  retry: { every: seconds(20), upTo: seconds(20), within: services.settings.limits.bindings },
  async run(context) {
    const { clients, settings } = services;
    const runtime = await theRuntime(services, context);
    const kubeconfig = await theKubeconfig(services, runtime, context);
    if (!kubeconfig) {
      const shoot = await theShoot(services, runtime, context.signal);
      if (shoot?.status?.hibernated) return skip('the cluster is asleep');
      return wait(seconds(20), 'there is no kubeconfig yet', 'gardener');
    }
    const { bindAdministrators, ...groups } = settings.operators;
    const cluster = clients.openCluster(kubeconfig);
    await cluster.ensureNamespace('istio-system', context.signal);
    await cluster.ensureOperatorAccess(
      { ...groups, administrators: bindAdministrators ? runtime.administrators : [] },
      context.signal,
    );
    return done();
  },
});
