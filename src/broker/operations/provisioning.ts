import { operation, when } from '#engine';
import type { Services } from '../services.ts';
import { applyKyma } from '../steps/apply-kyma.ts';
import { avsCreateExternalEval } from '../steps/avs-create-external-eval.ts';
import { avsCreateInternalEval } from '../steps/avs-create-internal-eval.ts';
import { avsTags } from '../steps/avs-tags.ts';
import { btpOperatorOverrides } from '../steps/btp-operator-overrides.ts';
import { busolaMigratorOverrides } from '../steps/busola-migrator-overrides.ts';
import { checkClusterConfiguration } from '../steps/check-cluster-configuration.ts';
import { checkRuntime } from '../steps/check-runtime.ts';
import {
  clusterIsOurs,
  clusterIsTheirs,
  hasBtpCredentials,
  isNotPreview,
  isOn,
  isWatchedFromOutside,
  type Order,
} from '../steps/conditions.ts';
import { createClusterConfiguration } from '../steps/create-cluster-configuration.ts';
import { createRuntimeForOwnCluster } from '../steps/create-runtime-for-own-cluster.ts';
import { createRuntimeWithoutKyma } from '../steps/create-runtime-without-kyma.ts';
import { edpRegistration } from '../steps/edp-registration.ts';
import { getKubeconfig } from '../steps/get-kubeconfig.ts';
import { initKymaTemplate } from '../steps/init-kyma-template.ts';
import { injectBtpOperatorCredentials } from '../steps/inject-btp-operator-credentials.ts';
import { overridesFromSecretsAndConfig } from '../steps/overrides-from-secrets-and-config.ts';
import { provisionInitialization } from '../steps/provision-initialization.ts';
import { resolveTargetSecret } from '../steps/resolve-target-secret.ts';
import { starting } from '../steps/starting.ts';
import { syncKubeconfig } from '../steps/sync-kubeconfig.ts';

/** A runtime, from the order to Kyma that is watched. */
export const provisioning = (services: Services) => {
  const { clients, settings } = services;
  const avs = isOn(clients, 'avs');
  const edp = isOn(clients, 'edp');
  const reconciler = isOn(clients, 'reconciler');
  const lifecycleManager = isOn(clients, 'lifecycleManager');

  return operation<Order>('provision', {
    timeLimit: settings.limits.operation,
    input: ['plan', 'hasBtpCredentials'],
  })
    .stage('start', starting(services))
    .stage(
      'create_runtime',
      provisionInitialization(services),
      when(lifecycleManager, initKymaTemplate(services)),
      when(clusterIsOurs, resolveTargetSecret(services)),
      when(avs, avsCreateInternalEval(services)),
      when(edp, when(clusterIsOurs, edpRegistration(services))),
      when(clusterIsOurs, createRuntimeWithoutKyma(services)),
      when(clusterIsTheirs, createRuntimeForOwnCluster(services)),
    )
    .stage('check_runtime', when(clusterIsOurs, checkRuntime(services)))
    .stage(
      'configure_runtime',
      getKubeconfig(services),
      when(isNotPreview, overridesFromSecretsAndConfig(services)),
      when(hasBtpCredentials, btpOperatorOverrides(services)),
      busolaMigratorOverrides(services),
      when(hasBtpCredentials, injectBtpOperatorCredentials(services)),
      when(lifecycleManager, syncKubeconfig(services)),
      when(reconciler, when(isNotPreview, createClusterConfiguration(services))),
    )
    .stage('check_kyma', when(reconciler, when(isNotPreview, checkClusterConfiguration(services))))
    .stage('create_kyma_resource', when(lifecycleManager, applyKyma(services)))
    .stage(
      'post_actions',
      when(avs, when(isWatchedFromOutside, avsCreateExternalEval(services))),
      when(avs, when(clusterIsOurs, avsTags(services))),
    );
};
