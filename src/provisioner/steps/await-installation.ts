import { done, wait, type Step } from '#engine';
import { seconds } from '#time';
import type { Services } from '../services.ts';
import { theKubeconfig, theRuntime } from './the-runtime.ts';

const system = 'kyma-installer';

/** Kyma is installed, in the version that is wanted. Errors of the installer are not final: it tries again itself. */
export const awaitInstallation = (services: Services): Step => ({
  name: 'Await_Installation',
  about: 'Waits until Kyma is installed in the version that is wanted.',
  domain: 'Kyma installer',
  owner: 'Team Framefrog',
  retry: { every: seconds(5), within: services.settings.limits.installation },
  async run(context) {
    const runtime = await theRuntime(services, context);
    const { kyma } = runtime;
    if (!kyma) return done();
    const kubeconfig = await theKubeconfig(services, runtime, context);
    if (!kubeconfig) return wait(seconds(20), 'there is no kubeconfig', 'gardener');
    const { installation } = services.clients.openInstaller(kubeconfig);
    const found = await installation.state(context.signal);
    switch (found.state) {
      case 'Installed':
        if (found.version === kyma.version) return done();
        return wait(seconds(30), `Kyma ${found.version} is there, not yet ${kyma.version}`, system);
      case 'NoInstallation':
      case 'Uninstalled':
        // Somebody has removed it: ask once more.
        await installation.install(kyma, context.signal);
        return wait(seconds(30), 'the installation had to be asked for again', system);
      case 'Empty':
        return wait(seconds(30), 'the installer has not begun yet', system);
      case 'InProgress':
        return wait(seconds(30), `Installation in progress: ${found.description}`, system);
      case 'Error': {
        const [error] = found.errors;
        const why = error ? `${error.component}: ${error.log}` : found.description;
        return wait(seconds(30), `the installer reports an error and tries again: ${why}`, system);
      }
      case 'Unknown':
        context.log.warn({ reported: found.reported }, 'the installer is in an unknown state');
        return wait(seconds(30), `the installer is in the unknown state ${found.reported}`, system);
    }
  },
});
