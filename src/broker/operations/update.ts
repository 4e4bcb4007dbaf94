import { condition, operation, when } from '#engine';
import { minutes } from '#time';
import type { Services } from '../services.ts';
import { btpOperatorOverrides } from '../steps/btp-operator-overrides.ts';
import { busolaMigratorOverrides } from '../steps/busola-migrator-overrides.ts';
import { checkClusterConfiguration } from '../steps/check-cluster-configuration.ts';
import { checkRuntime } from '../steps/check-runtime.ts';
import { clusterIsOurs, hasBtpCredentials, isNotPreview, isOn } from '../steps/conditions.ts';
import { createClusterConfiguration } from '../steps/create-cluster-configuration.ts';
import { getKubeconfig } from '../steps/get-kubeconfig.ts';
import { injectBtpOperatorCredentials } from '../steps/inject-btp-operator-credentials.ts';
import { overridesFromSecretsAndConfig } from '../steps/overrides-from-secrets-and-config.ts';
import { syncKubeconfig } from '../steps/sync-kubeconfig.ts';
import { updateInitKymaVersion } from '../steps/update-init-kyma-version.ts';
import { updateInstance } from '../steps/update-instance.ts';
import { updateKymaInitialization, type Update } from '../steps/update-kyma-initialization.ts';
import { upgradeShoot } from '../steps/upgrade-shoot.ts';
import { concernsKyma } from '../wanted-changes.ts';

const kymaIsConcerned = condition<Update>('something of Kyma changes', ({ wanted }) =>
  concernsKyma(wanted),
);
const kubeconfigIsNew = condition<Update>(
  'the customer gives another kubeconfig',
  ({ wanted }) => wanted.parameters.kubeconfig !== undefined,
);
const provisionerWasAsked = condition<{ plan: string; provisionerOperationId?: string }>(
  'the provisioner was asked',
  ({ provisionerOperationId }) => provisionerOperationId !== undefined,
);
const reconcilerWasAsked = condition<{ plan: string; clusterConfigurationVersion?: number }>(
  'the Reconciler was asked',
  ({ clusterConfigurationVersion }) => clusterConfigurationVersion !== undefined,
);

/**
 * What a customer changes of an instance. Nobody keeps the settings that the Reconciler was given before, as they hold
 * credentials; so whatever changes of Kyma, all of them are collected anew.
 */
export const update = (services: Services) => {
  const { clients, settings } = services;
  const reconciler = isOn(clients, 'reconciler');
  const lifecycleManager = isOn(clients, 'lifecycleManager');
  const { clusterUpdate } = settings.limits;

  return operation<Update>('update', { timeLimit: settings.limits.operation, input: ['wanted'] })
    .stage(
      'cluster',
      updateKymaInitialization(services),
      when(clusterIsOurs, upgradeShoot(services)),
    )
    .stage(
      'btp-operator',
      updateInitKymaVersion(services),
      when(kymaIsConcerned, getKubeconfig(services)),
      when(kymaIsConcerned, when(isNotPreview, overridesFromSecretsAndConfig(services))),
      when(
        kymaIsConcerned,
        when(
          hasBtpCredentials,
          when(isNotPreview, btpOperatorOverrides(services, 'of the cluster')),
        ),
      ),
      when(kymaIsConcerned, busolaMigratorOverrides(services)),
      when(
        kymaIsConcerned,
        when(hasBtpCredentials, injectBtpOperatorCredentials(services, 'of the cluster')),
      ),
      when(kubeconfigIsNew, when(lifecycleManager, syncKubeconfig(services))),
      when(
        kymaIsConcerned,
        when(
          reconciler,
          when(
            isNotPreview,
            createClusterConfiguration(services, 'Apply_Reconciler_Configuration'),
          ),
        ),
      ),
    )
    .stage(
      'btp-operator-check',
      when(
        reconcilerWasAsked,
        checkClusterConfiguration(services, { name: 'CheckReconcilerState', within: undefined }),
      ),
    )
    .stage(
      'check',
      when(
        provisionerWasAsked,
        checkRuntime(services, { within: clusterUpdate, pause: minutes(1) }),
      ),
      updateInstance(services),
    );
};
