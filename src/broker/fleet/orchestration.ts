import type { WaveSize } from './waves.ts';
import type { ErrorBudget } from './error-budget.ts';

export type OrchestrationType = 'upgradeKyma' | 'upgradeCluster';

export const orchestrationStates = [
  'pending',
  'in progress',
  'retrying',
  'paused',
  'canceling',
  'canceled',
  'succeeded',
  'failed',
] as const;
export type OrchestrationState = (typeof orchestrationStates)[number];

/** All that are named must fit. The first three are regular expressions; a runtime id makes the others count for nothing. */
export type TargetSelector = {
  readonly target?: 'all';
  readonly globalAccount?: string;
  readonly subAccount?: string;
  readonly region?: string;
  readonly runtimeID?: string;
  readonly instanceID?: string;
  readonly planName?: string;
  readonly shoot?: string;
};

/** Runtimes that fit one of the first and none of the others. */
export type TargetSelectors = {
  readonly include: readonly TargetSelector[];
  readonly exclude: readonly TargetSelector[];
};

/** What an operator has asked for, with what was left out filled in; the names are the API's. */
export type OrchestrationParameters = {
  readonly targets: TargetSelectors;
  readonly strategy: {
    readonly type: 'parallel';
    readonly schedule: string;
    readonly ScheduleTime?: string;
    readonly maintenanceWindow: boolean;
    readonly parallel: { readonly workers: number };
    /** The last one, of all others, is not named. */
    readonly waves?: readonly WaveSize[];
    /** Between the end of a wave and the beginning of the next: '10m'. */
    readonly waveSoak?: string;
    readonly errorBudget?: ErrorBudget;
  };
  readonly dryRun: boolean;
  readonly notification: boolean;
  readonly kyma?: { readonly version?: string };
  readonly kubernetes?: {
    readonly kubernetesVersion?: string;
    readonly machineImage?: string;
    readonly machineImageVersion?: string;
  };
  readonly retryoperation?: {
    readonly retryoperations: readonly string[];
    readonly immediate: boolean;
  };
};

export type Orchestration = {
  readonly id: string;
  readonly type: OrchestrationType;
  readonly state: OrchestrationState;
  readonly description: string;
  readonly parameters: OrchestrationParameters;
  readonly scheduleTime: Date | undefined;
  readonly pausedBecause: string | undefined;
  readonly forgiven: number;
  /** From then on its runtimes are settled. */
  readonly begunAt: Date | undefined;
  readonly createdAt: Date;
  readonly updatedAt: Date;
};

/** A runtime that an orchestration is about, as it was when it was chosen. */
export type Target = {
  readonly instanceId: string;
  readonly runtimeId: string;
  readonly globalAccount: string;
  readonly subaccount: string;
  readonly planId: string;
  readonly planName: string;
  readonly region: string;
  readonly shootName: string;
};

export const hasEnded = (state: OrchestrationState): boolean =>
  state === 'canceled' || state === 'succeeded' || state === 'failed';

/** Of something that is only tried out nobody hears. */
export const tellsCustomers = ({ notification, dryRun }: OrchestrationParameters): boolean =>
  notification && !dryRun;

/** What the engine calls it. */
export const subjectOf = (orchestrationId: string): string => `orchestration:${orchestrationId}`;
