import {
  kubernetesConnection,
  type KubernetesConnection,
} from '../kubernetes/kubernetes-connection.ts';
import type { Kubeconfig } from '../provisioner/kubeconfig.ts';
import type { SystemLimits } from '../system-limits.ts';
import { kymaInstallation, type KymaInstallation } from './kyma-installation.ts';
import { runtimeAgent, type RuntimeAgent } from './runtime-agent.ts';
import { serviceCatalog, type ServiceCatalog } from './service-catalog.ts';

/** Kyma 1.x on one runtime cluster, and what goes with it. */
export type KymaInstaller = {
  readonly installation: KymaInstallation;
  readonly agent: RuntimeAgent;
  readonly serviceCatalog: ServiceCatalog;
};

export const kymaInstaller = (connection: KubernetesConnection): KymaInstaller => ({
  installation: kymaInstallation(connection),
  agent: runtimeAgent(connection),
  serviceCatalog: serviceCatalog(connection),
});

export const kymaInstallerOn = (kubeconfig: Kubeconfig, limits: SystemLimits = {}): KymaInstaller =>
  kymaInstaller(
    kubernetesConnection('runtime-cluster', { ...limits, kubeconfig: kubeconfig.reveal() }),
  );
