import type { Orchestration, Target } from '../orchestration.ts';
import type { Window } from '../maintenance-window.ts';
import type { UpgradeView } from '../upgrade-views.ts';

/** An operation of an orchestration as people see it. */
export const operationBody = (orchestration: Orchestration, upgrade: UpgradeView) => ({
  operationID: upgrade.operationId,
  orchestrationID: orchestration.id,
  ...targetBody(upgrade),
  dryRun: orchestration.parameters.dryRun,
  ...windowBody(
    upgrade.windowBegin && upgrade.windowEnd
      ? { begin: upgrade.windowBegin, end: upgrade.windowEnd }
      : undefined,
  ),
  state: upgrade.state,
  description: upgrade.description,
  wave: upgrade.wave,
  attempt: upgrade.attempt,
  notificationState: upgrade.notification,
});

/** The same, with what the runtime gets. */
export function operationDetail(orchestration: Orchestration, upgrade: UpgradeView) {
  const { type, parameters } = orchestration;
  const version = upgrade.facts?.['kymaVersion'] ?? parameters.kyma?.version;
  return {
    ...operationBody(orchestration, upgrade),
    ...(type === 'upgradeKyma'
      ? { kymaConfig: version === undefined ? {} : { version } }
      : { clusterConfig: { ...parameters.kubernetes } }),
  };
}

export const targetBody = (target: Target) => ({
  instanceID: target.instanceId,
  runtimeID: target.runtimeId,
  globalAccountID: target.globalAccount,
  subAccountID: target.subaccount,
  servicePlanID: target.planId,
  servicePlanName: target.planName,
  shootName: target.shootName,
  region: target.region,
});

export const windowBody = (window: Window | undefined) =>
  window ? { maintenanceWindowBegin: window.begin, maintenanceWindowEnd: window.end } : {};
