import type { Engine, Explanation, StoredOperation } from '#engine';
import { shootFailed } from '../steps/shoot-state.ts';
import { componentOf } from './api-error.ts';

/** As the schema's type of this name. */
export type OperationStatus = {
  readonly id: string;
  readonly operation: string;
  readonly state: 'InProgress' | 'Succeeded' | 'Failed';
  readonly message: string;
  readonly runtimeID: string;
  readonly compassRuntimeID: string | null;
  readonly lastError: {
    readonly errMessage: string;
    readonly reason: string;
    readonly component: string;
  };
};

/** How callers know each type, and what it says before its first stage is over. */
const types: Readonly<Record<string, { readonly shown: string; readonly started: string }>> = {
  provision: { shown: 'Provision', started: 'Provisioning started' },
  deprovision: { shown: 'Deprovision', started: 'Deprovisioning started' },
  upgrade: { shown: 'Upgrade', started: 'Starting Kyma upgrade' },
  upgrade_shoot: { shown: 'UpgradeShoot', started: 'Starting Gardener Shoot upgrade' },
  hibernate: { shown: 'Hibernate', started: 'Starting cluster hibernation' },
  reconnect_runtime: { shown: 'ReconnectRuntime', started: 'Starting Runtime Agent reconnection' },
};

export function operationStatus(
  engine: Engine,
  operation: StoredOperation,
  { isInDirector }: { readonly isInDirector: boolean },
): OperationStatus {
  const { id, type, subject, facts } = operation;
  const { shown = type, started = 'Operation started' } = types[type] ?? {};
  const isWithoutKyma = type === 'deprovision' && facts['hasKyma'] !== true;
  const explanation = engine.explain(operation);
  return {
    id,
    operation: isWithoutKyma ? `${shown}NoInstall` : shown,
    state: stateOf(explanation.state),
    message: messageOf(operation, explanation, { started, stages: stagesOf(engine, type) }),
    runtimeID: subject,
    compassRuntimeID: isInDirector ? subject : null,
    lastError: lastErrorOf(explanation),
  };
}

function stateOf(state: StoredOperation['state']): OperationStatus['state'] {
  switch (state) {
    case 'pending':
    case 'in progress':
      return 'InProgress';
    case 'succeeded':
      return 'Succeeded';
    case 'failed':
    case 'canceled':
      return 'Failed';
  }
}

const stagesOf = ({ definitions }: Engine, type: string): string[] =>
  definitions.types.includes(type) ? definitions.get(type).stages.map(({ name }) => name) : [];

function messageOf(
  { finished_stages: finished }: StoredOperation,
  { state, stage, because, summary, failure }: Explanation,
  { started, stages }: { readonly started: string; readonly stages: readonly string[] },
): string {
  if (state === 'succeeded') return 'Operation succeeded';
  if (state === 'failed') return failure?.message ?? summary;
  if (state === 'canceled') return summary;
  if (finished.length === 0) return started;
  // What is on record of a stage that is over says nothing about the one that has begun.
  const current = stages.find((each) => !finished.includes(each)) ?? stage;
  const why = because === undefined || current !== stage ? '' : `: ${because}`;
  return `Operation in progress. Stage ${current}${why}`;
}

const noError = { errMessage: '', reason: '', component: '' } as const;

function lastErrorOf({ failure }: Explanation): OperationStatus['lastError'] {
  if (!failure) return noError;
  const { message, reason = 'err_provisioner_internal', system } = failure;
  if (reason === 'time_limit' || reason === 'attempt_limit')
    return {
      errMessage: message,
      reason: 'err_provisioner_timeout',
      component: componentOf(system),
    };
  const isOfGardener = reason === shootFailed || reason.startsWith('ERR_');
  const component = isOfGardener ? 'gardener' : componentOf(system);
  return { errMessage: message, reason: reason === shootFailed ? '' : reason, component };
}
