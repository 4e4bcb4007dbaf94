import { Definitions, when, type OperationDefinition } from '#engine';
import type { Services } from '../services.ts';
import { avsConfigurationStep } from './avs-configuration-step.ts';
import { awaitLmsCertificates } from './await-lms-certificates.ts';
import { isNotTrial, isOnAzure } from './conditions.ts';
import { createLmsTenant } from './create-lms-tenant.ts';
import { deprovisionAzureEventHubs } from './deprovision-azure-event-hubs.ts';
import { iasOverrides } from './ias-overrides.ts';
import { iasRegistration } from './ias-registration.ts';
import { iasSignOn } from './ias-sign-on.ts';
import { lmsOverrides } from './lms-overrides.ts';
import { requestLmsCertificates } from './request-lms-certificates.ts';
import { serviceManagerOverrides } from './service-manager-overrides.ts';

type Operations = readonly { readonly definition: OperationDefinition }[];

/**
 * Today's operations with those of the older steps that are switched on by their own settings; without any, they stay as
 * they are. What an older step asks for is made before the cluster, which takes so long that everything is there when
 * settings are collected for the Reconciler. Event Hubs are of use to Kyma 1.x alone; here they are only removed.
 */
export function withOlderSteps(operations: Operations, services: Services): Operations {
  const { clients, settings } = services;
  const { older = {} } = settings;
  const definitions = new Definitions(operations);
  const prepare = { stage: 'create_runtime', before: 'Create_Runtime_Without_Kyma' } as const;
  const collect = { stage: 'configure_runtime', before: 'Create_Cluster_Configuration' } as const;
  const provision = (addition: Parameters<Definitions['extend']>[1]) =>
    definitions.extend('provision', addition);

  if (clients.avs && older.avsBridge)
    provision({ ...collect, step: avsConfigurationStep(services) });
  if (clients.ias && older.registersInIas) {
    provision({ ...prepare, step: iasRegistration(services) });
    provision({ ...collect, step: iasOverrides(services) });
    provision({
      stage: 'post_actions',
      after: 'AVS_Create_External_Eval_Step',
      step: iasSignOn(services),
    });
  }
  if (clients.lms && older.lms) {
    provision({ ...prepare, step: when(isNotTrial, createLmsTenant(services)) });
    for (const step of [
      when(isNotTrial, requestLmsCertificates(services)),
      when(isNotTrial, awaitLmsCertificates(services)),
      when(isNotTrial, lmsOverrides(services)),
    ])
      provision({ ...collect, step });
  }
  if (older.serviceManager) provision({ ...collect, step: serviceManagerOverrides(services) });
  if (older.eventHubs) {
    const step = when(isOnAzure, deprovisionAzureEventHubs(services));
    definitions.extend('deprovision', { stage: 'Init_Step', after: 'Init_Step', step });
  }
  return definitions.types.map((type) => ({ definition: definitions.get(type) }));
}
