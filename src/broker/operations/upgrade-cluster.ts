import { operation, when } from '#engine';
import { minutes } from '#time';
import type { Services } from '../services.ts';
import { avsMaintenanceMode } from '../steps/avs-maintenance-mode.ts';
import { checkRuntime } from '../steps/check-runtime.ts';
import { isOn } from '../steps/conditions.ts';
import { sendNotification } from '../steps/send-notification.ts';
import { upgradeClusterInitialisation } from '../steps/upgrade-cluster-initialisation.ts';
import { upgradeCluster as upgradeClusterStep } from '../steps/upgrade-cluster.ts';
import { customerIsTold, type ClusterUpgrade } from '../steps/upgrade.ts';

/** Other versions of Kubernetes and of the machine image, as the landscape or an operator wants it. */
export const upgradeCluster = (services: Services) => {
  const { clients, settings } = services;
  const { upgrade } = settings.limits;

  return operation<ClusterUpgrade>('upgradeCluster', {
    timeLimit: upgrade,
    input: [
      'kubernetesVersion',
      'machineImage',
      'machineImageVersion',
      'dryRun',
      'notification',
      'orchestrationId',
    ],
  })
    .stage('initialisation', upgradeClusterInitialisation(services))
    .stage('maintenance', when(isOn(clients, 'avs'), avsMaintenanceMode(services)))
    .stage(
      'upgrade',
      when(isOn(clients, 'spc'), when(customerIsTold, sendNotification(services, 'kubernetes'))),
      upgradeClusterStep(services),
    )
    .stage('check', checkRuntime(services, { within: upgrade, pause: minutes(1) }));
};
