import { operation, when } from '#engine';
import type { Services } from '../services.ts';
import { applyKyma } from '../steps/apply-kyma.ts';
import { avsMaintenanceMode } from '../steps/avs-maintenance-mode.ts';
import { btpOperatorOverrides } from '../steps/btp-operator-overrides.ts';
import { busolaMigratorOverrides } from '../steps/busola-migrator-overrides.ts';
import { checkClusterConfiguration } from '../steps/check-cluster-configuration.ts';
import { hasBtpCredentials, isOn } from '../steps/conditions.ts';
import { createClusterConfiguration } from '../steps/create-cluster-configuration.ts';
import { getKubeconfig } from '../steps/get-kubeconfig.ts';
import { initKymaTemplate } from '../steps/init-kyma-template.ts';
import { overridesFromSecretsAndConfig } from '../steps/overrides-from-secrets-and-config.ts';
import { sendNotification } from '../steps/send-notification.ts';
import { syncKubeconfig } from '../steps/sync-kubeconfig.ts';
import { upgradeKymaInitialisation } from '../steps/upgrade-kyma-initialisation.ts';
import { customerIsTold, type KymaUpgrade } from '../steps/upgrade.ts';

/**
 * Another version of Kyma, or the same one with the settings of today. The founding document has
 * Check_Cluster_Configuration first, because its engine came back there after everything; here it stands where it waits.
 */
export const upgradeKyma = (services: Services) => {
  const { clients, settings } = services;
  const lifecycleManager = isOn(clients, 'lifecycleManager');

  return operation<KymaUpgrade>('upgradeKyma', {
    timeLimit: settings.limits.upgrade,
    input: ['version', 'dryRun', 'notification', 'orchestrationId'],
  })
    .stage(
      'initialisation',
      upgradeKymaInitialisation(services),
      when(lifecycleManager, initKymaTemplate(services)),
    )
    .stage('maintenance', when(isOn(clients, 'avs'), avsMaintenanceMode(services)))
    .stage(
      'apply',
      getKubeconfig(services),
      when(lifecycleManager, syncKubeconfig(services)),
      when(hasBtpCredentials, btpOperatorOverrides(services, 'of the cluster')),
      overridesFromSecretsAndConfig(services),
      busolaMigratorOverrides(services),
      when(isOn(clients, 'spc'), when(customerIsTold, sendNotification(services, 'kyma'))),
      createClusterConfiguration(services, 'Apply_Cluster_Configuration'),
    )
    .stage('check', checkClusterConfiguration(services))
    .stage('create_kyma_resource', when(lifecycleManager, applyKyma(services)));
};
