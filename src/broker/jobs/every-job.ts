import type { Services } from '../services.ts';
import { archiving, type ArchivingSettings } from './archiving.ts';
import { bindingCleanup } from './binding-cleanup.ts';
import { deprovisionRetrigger } from './deprovision-retrigger.ts';
import { environmentsCleanup, type EnvironmentsCleanupSettings } from './environments-cleanup.ts';
import { eventRetention, type EventRetentionSettings } from './event-retention.ts';
import { expiration, type ExpirationSettings } from './expiration.ts';
import type { Job, JobSettings } from './job.ts';
import { runtimeReconciler } from './runtime-reconciler.ts';
import { subaccountCleanup } from './subaccount-cleanup.ts';
import { subscriptionCleanup } from './subscription-cleanup.ts';

export type EveryJobSettings = {
  readonly deprovisionRetrigger: JobSettings;
  readonly trialExpiration: ExpirationSettings;
  readonly freeExpiration: ExpirationSettings;
  readonly subaccountCleanup: JobSettings;
  readonly subscriptionCleanup: JobSettings;
  readonly environmentsCleanup: EnvironmentsCleanupSettings;
  readonly runtimeReconciler: JobSettings;
  readonly bindingCleanup: JobSettings;
  readonly archiving: ArchivingSettings;
  readonly eventRetention: EventRetentionSettings;
};

export const everyJob = ({
  settings: { jobs, shootDomain },
  clients,
}: Services): readonly Job[] => [
  deprovisionRetrigger(jobs.deprovisionRetrigger),
  expiration('trial', jobs.trialExpiration),
  expiration('free', jobs.freeExpiration),
  environmentsCleanup(jobs.environmentsCleanup, shootDomain),
  subaccountCleanup(jobs.subaccountCleanup, clients.cis),
  subscriptionCleanup(jobs.subscriptionCleanup),
  runtimeReconciler(jobs.runtimeReconciler),
  bindingCleanup(jobs.bindingCleanup),
  archiving(jobs.archiving),
  eventRetention(jobs.eventRetention),
];
