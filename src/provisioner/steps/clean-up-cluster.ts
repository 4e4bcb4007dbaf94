import { bestEffort, done, skip, type Step } from '#engine';
import type { Services } from '../services.ts';
import { ownShootOf, theKubeconfig, theRuntime } from './the-runtime.ts';

/** Gives back what users ordered through Kyma's Service Catalog. A cluster that cannot be asked is removed all the same. */
export const cleanUpCluster = (services: Services): Step => ({
  name: 'Clean_Up_Cluster',
  about: "Gives back what was ordered through the cluster's Service Catalog.",
  domain: 'Runtime cluster',
  owner: 'Team Framefrog',
  retry: { ...bestEffort, within: services.settings.limits.clusterCleanUp },
  async run(context) {
    const kubeconfig = await reachable(services, context);
    if (!kubeconfig) return skip('the cluster cannot be reached: it is gone, asleep or not ready');
    const { serviceCatalog } = services.clients.openInstaller(kubeconfig);
    await serviceCatalog.cleanUp(context.signal);
    return done();
  },
});

/** Begins the removal of Kyma; nobody waits for its end. */
export const uninstallKyma = (services: Services): Step => ({
  name: 'Uninstall_Kyma',
  about: 'Begins the removal of Kyma; nobody waits for its end.',
  domain: 'Kyma installer',
  owner: 'Team Framefrog',
  retry: { ...bestEffort, within: services.settings.limits.uninstallation },
  async run(context) {
    const kubeconfig = await reachable(services, context);
    if (!kubeconfig) return skip('the cluster cannot be reached: it is gone, asleep or not ready');
    const { installation } = services.clients.openInstaller(kubeconfig);
    await installation.uninstall(context.signal);
    return done();
  },
});

/** A way into the cluster, if it can be there at all. */
async function reachable(services: Services, context: Parameters<Step['run']>[0]) {
  const runtime = await theRuntime(services, context);
  const shoot = await ownShootOf(services, runtime, context.signal);
  const isUp = shoot && !shoot.status?.hibernated && !shoot.metadata.deletionTimestamp;
  const wasReady =
    shoot?.status?.lastOperation?.type !== 'Create' ||
    shoot.status.lastOperation.state === 'Succeeded';
  return isUp && wasReady ? theKubeconfig(services, runtime, context) : undefined;
}
