// For tests: jobs that act, and only when they are told to. Not exported by the door of the module.
import { days, hours } from '#time';
import type { EveryJobSettings } from './every-job.ts';

const nightly = { enabled: false, schedule: '0 2 * * *', dryRun: false };

export const testJobs: EveryJobSettings = {
  deprovisionRetrigger: nightly,
  trialExpiration: { ...nightly, period: days(14) },
  freeExpiration: { ...nightly, period: days(30) },
  subaccountCleanup: nightly,
  subscriptionCleanup: nightly,
  environmentsCleanup: {
    ...nightly,
    labelSelector: 'owner.do-not-delete!=true',
    maxAge: hours(24),
    devDomain: 'example.com',
  },
  runtimeReconciler: nightly,
  bindingCleanup: nightly,
  archiving: { ...nightly, keep: days(30) },
  eventRetention: { ...nightly, keep: days(14) },
};
