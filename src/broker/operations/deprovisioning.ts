import { bestEffort, operation, when } from '#engine';
import type { Services } from '../services.ts';
import { btpOperatorCleanup } from '../steps/btp-operator-cleanup.ts';
import { checkClusterDeregistration } from '../steps/check-cluster-deregistration.ts';
import { checkKymaResourceDeleted } from '../steps/check-kyma-resource-deleted.ts';
import { checkRuntimeRemoval } from '../steps/check-runtime-removal.ts';
import { clusterIsOurs, isNotPreview, isOn } from '../steps/conditions.ts';
import { deleteKubeconfig } from '../steps/delete-kubeconfig.ts';
import { deleteKymaResource } from '../steps/delete-kyma-resource.ts';
import { deprovisionAvsEvaluations } from '../steps/deprovision-avs-evaluations.ts';
import { deregisterCluster } from '../steps/deregister-cluster.ts';
import { edpDeregistration } from '../steps/edp-deregistration.ts';
import { endNotification } from '../steps/end-notification.ts';
import { iasDeregistration } from '../steps/ias-deregistration.ts';
import { initStep } from '../steps/init-step.ts';
import { accountIsTheirOwn, releaseSubscription } from '../steps/release-subscription.ts';
import type { Removal } from '../steps/removal.ts';
import { removeInstance } from '../steps/remove-instance.ts';
import { removeRuntime } from '../steps/remove-runtime.ts';

/** With `temporary` in its input it is a suspension. No step but the first blocks it: what cannot be removed is left on record. */
export const deprovisioning = (services: Services) => {
  const { clients, settings } = services;
  const avsIsOn = isOn(clients, 'avs');
  const edpIsOn = isOn(clients, 'edp');
  const iasIsOn = isOn(clients, 'ias');
  const lifecycleManagerIsOn = isOn(clients, 'lifecycleManager');
  const reconcilerIsOn = isOn(clients, 'reconciler');

  return operation<Removal>('deprovision', {
    timeLimit: settings.limits.operation,
    input: ['plan', 'hasBtpCredentials', 'temporary', 'userAgent', 'only'],
  })
    .stage('Init_Step', initStep(services))
    .stage('BTPOperator_Cleanup', btpOperatorCleanup(services))
    .stage('De-provision_AVS_Evaluations', when(avsIsOn, deprovisionAvsEvaluations(services)))
    .stage('End_Notification', when(isOn(clients, 'spc'), endNotification(services, bestEffort)))
    .stage('EDP_Deregistration', when(edpIsOn, when(clusterIsOurs, edpDeregistration(services))))
    .stage('IAS_Deregistration', when(iasIsOn, iasDeregistration(services)))
    .stage('Delete_Kyma_Resource', when(lifecycleManagerIsOn, deleteKymaResource(services)))
    .stage(
      'Check_Kyma_Resource_Deleted',
      when(lifecycleManagerIsOn, checkKymaResourceDeleted(services)),
    )
    .stage(
      'Deregister_Cluster',
      when(reconcilerIsOn, when(isNotPreview, deregisterCluster(services))),
    )
    .stage(
      'Check_Cluster_Deregistration',
      when(reconcilerIsOn, when(isNotPreview, checkClusterDeregistration(services))),
    )
    .stage('Remove_Runtime', when(clusterIsOurs, removeRuntime(services)))
    .stage('Check_Runtime_Removal', when(clusterIsOurs, checkRuntimeRemoval(services)))
    .stage(
      'Release_Subscription',
      when(clusterIsOurs, when(accountIsTheirOwn, releaseSubscription(services))),
    )
    .stage('Delete_Kubeconfig', when(lifecycleManagerIsOn, deleteKubeconfig(services)))
    .stage('Remove_Instance', removeInstance(services));
};
