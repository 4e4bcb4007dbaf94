import { done, wait, type Step } from '#engine';
import { minutes, seconds } from '#time';
import type { Services } from '../services.ts';
import { theKubeconfig, theRuntime } from './the-runtime.ts';

/** Puts Kyma's installer into the cluster and asks it for what is wanted. Everything is applied, so it can be repeated. */
export const startInstallation = (services: Services): Step => ({
  name: 'Start_Installation',
  about: "Puts Kyma's installer into the cluster, and asks it for the version that is wanted.",
  domain: 'Kyma installer',
  owner: 'Team Framefrog',
  retry: {
    every: seconds(5),
    upTo: minutes(1),
    within: services.settings.limits.installationStart,
  },
  async run(context) {
    const { signal } = context;
    const { artifacts, openInstaller } = services.clients;
    const runtime = await theRuntime(services, context);
    const { kyma } = runtime;
    if (!kyma) return done();
    const kubeconfig = await theKubeconfig(services, runtime, context);
    if (!kubeconfig) return wait(seconds(20), 'there is no kubeconfig yet', 'gardener');
    const { installation } = openInstaller(kubeconfig);
    const tiller = await artifacts.tillerYaml(kyma.version, signal);
    if (tiller !== undefined) await installation.applyInstaller(tiller, signal);
    await installation.applyInstaller(await artifacts.installerYaml(kyma.version, signal), signal);
    await installation.applyOverrides(kyma, signal);
    const state = await installation.state(signal);
    const isThere = state.state === 'Installed' && state.version === kyma.version;
    if (state.state !== 'InProgress' && !isThere) await installation.install(kyma, signal);
    return done();
  },
});
