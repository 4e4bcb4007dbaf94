import { operation, when } from '#engine';
import { avsConfigurationStep } from '../legacy/avs-configuration-step.ts';
import { awaitLmsCertificates } from '../legacy/await-lms-certificates.ts';
import {
  hasEventHubs,
  hasServiceManager,
  isNotTrial,
  isOnAzure,
  registersInIas,
  sendsLogs,
} from '../legacy/conditions.ts';
import { createLmsTenant } from '../legacy/create-lms-tenant.ts';
import { createRuntime } from '../legacy/create-runtime.ts';
import { eventHubsOverrides } from '../legacy/event-hubs-overrides.ts';
import { iasOverrides } from '../legacy/ias-overrides.ts';
import { iasRegistration } from '../legacy/ias-registration.ts';
import { iasSignOn } from '../legacy/ias-sign-on.ts';
import { initialization } from '../legacy/initialization.ts';
import { lmsOverrides } from '../legacy/lms-overrides.ts';
import { provisionAzureEventHubs } from '../legacy/provision-azure-event-hubs.ts';
import { requestLmsCertificates } from '../legacy/request-lms-certificates.ts';
import { serviceManagerOverrides } from '../legacy/service-manager-overrides.ts';
import type { Services } from '../services.ts';
import { avsCreateExternalEval } from '../steps/avs-create-external-eval.ts';
import { checkRuntime } from '../steps/check-runtime.ts';
import { isOn, isWatchedFromOutside, type Order } from '../steps/conditions.ts';
import { edpRegistration } from '../steps/edp-registration.ts';
import { overridesFromSecretsAndConfig } from '../steps/overrides-from-secrets-and-config.ts';
import { resolveTargetSecret } from '../steps/resolve-target-secret.ts';

/**
 * A runtime as in 2020: the provisioner installs Kyma 1.x together with the cluster, with all that the steps before it have
 * collected in the memory of their stage. What has to be waited for is made in stages of its own before that.
 */
export const legacyProvisioning = (services: Services) => {
  const { clients, settings } = services;
  const avs = isOn(clients, 'avs');
  const ias = registersInIas(services);
  const lms = sendsLogs(services);
  const eventHubs = hasEventHubs(services);

  return operation<Order>('provision', {
    timeLimit: settings.limits.operation,
    input: ['plan', 'hasBtpCredentials'],
  })
    .stage('start', initialization(services))
    .stage(
      'prepare',
      resolveTargetSecret(services),
      when(lms, when(isNotTrial, createLmsTenant(services))),
      when(isOn(clients, 'edp'), edpRegistration(services)),
    )
    .stage('register_in_ias', when(ias, iasRegistration(services)))
    .stage('event_hubs', when(eventHubs, when(isOnAzure, provisionAzureEventHubs(services))))
    .stage('lms_request', when(lms, when(isNotTrial, requestLmsCertificates(services))))
    .stage('lms_certificates', when(lms, when(isNotTrial, awaitLmsCertificates(services))))
    .stage(
      'create_runtime',
      when(avs, avsConfigurationStep(services)),
      when(ias, iasOverrides(services)),
      when(eventHubs, when(isOnAzure, eventHubsOverrides(services))),
      overridesFromSecretsAndConfig(services),
      when(hasServiceManager(services), serviceManagerOverrides(services)),
      when(lms, when(isNotTrial, lmsOverrides(services))),
      createRuntime(services),
    )
    .stage('check_runtime', checkRuntime(services))
    .stage(
      'post_actions',
      when(avs, when(isWatchedFromOutside, avsCreateExternalEval(services))),
      when(ias, iasSignOn(services)),
    );
};
