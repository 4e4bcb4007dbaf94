import { bestEffort, operation, when } from '#engine';
import { hasEventHubs, isOnAzure } from '../legacy/conditions.ts';
import { deprovisionAzureEventHubs } from '../legacy/deprovision-azure-event-hubs.ts';
import { deprovisionInitialization } from '../legacy/deprovision-initialization.ts';
import type { Services } from '../services.ts';
import { checkRuntimeRemoval } from '../steps/check-runtime-removal.ts';
import { clusterIsOurs, isOn } from '../steps/conditions.ts';
import { deprovisionAvsEvaluations } from '../steps/deprovision-avs-evaluations.ts';
import { edpDeregistration } from '../steps/edp-deregistration.ts';
import { endNotification } from '../steps/end-notification.ts';
import { iasDeregistration } from '../steps/ias-deregistration.ts';
import { accountIsTheirOwn, releaseSubscription } from '../steps/release-subscription.ts';
import type { Removal } from '../steps/removal.ts';
import { removeInstance } from '../steps/remove-instance.ts';
import { removeRuntime } from '../steps/remove-runtime.ts';

/** Kyma goes with its cluster. The last three were part of the first and of Remove_Runtime in 2020. */
export const legacyDeprovisioning = (services: Services) => {
  const { clients, settings } = services;
  return operation<Removal>('deprovision', {
    timeLimit: settings.limits.operation,
    input: ['plan', 'hasBtpCredentials', 'temporary', 'userAgent', 'only'],
  })
    .stage('Deprovision_Initialization', deprovisionInitialization(services))
    .stage(
      'Deprovision Azure Event Hubs',
      when(hasEventHubs(services), when(isOnAzure, deprovisionAzureEventHubs(services))),
    )
    .stage(
      'De-provision_AVS_Evaluations',
      when(isOn(clients, 'avs'), deprovisionAvsEvaluations(services)),
    )
    .stage('End_Notification', when(isOn(clients, 'spc'), endNotification(services, bestEffort)))
    .stage('IAS_Deregistration', when(isOn(clients, 'ias'), iasDeregistration(services)))
    .stage(
      'EDP_Deregistration',
      when(isOn(clients, 'edp'), when(clusterIsOurs, edpDeregistration(services))),
    )
    .stage('Remove_Runtime', when(clusterIsOurs, removeRuntime(services)))
    .stage('Check_Runtime_Removal', when(clusterIsOurs, checkRuntimeRemoval(services)))
    .stage(
      'Release_Subscription',
      when(clusterIsOurs, when(accountIsTheirOwn, releaseSubscription(services))),
    )
    .stage('Remove_Instance', removeInstance(services));
};
