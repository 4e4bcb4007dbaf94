/** What the services answer, as far as kcp reads it. Whoever wants the rest takes `-o json`. */
export type Runtime = {
  readonly instanceID: string;
  readonly runtimeID?: string;
  readonly globalAccountID: string;
  readonly subAccountID: string;
  readonly subAccountRegion?: string;
  readonly region?: string;
  readonly shootName?: string;
  readonly servicePlanID?: string;
  readonly servicePlanName: string;
  readonly serviceClassID?: string;
  readonly kymaVersion?: string;
  readonly name?: string;
  readonly status: RuntimeStatus;
};

export type RuntimeStatus = {
  readonly createdAt: string;
  readonly modifiedAt?: string;
  readonly state: string;
  readonly explanation?: Explanation;
} & Readonly<Partial<Record<SingleKind, RuntimeOperation>>> &
  Readonly<Partial<Record<ListedKind, { readonly data: readonly RuntimeOperation[] }>>>;

type SingleKind = 'provisioning' | 'deprovisioning';
type ListedKind = 'upgradingKyma' | 'upgradingCluster' | 'update' | 'suspension' | 'unsuspension';

export type RuntimeOperation = {
  readonly operationID: string;
  readonly state: string;
  readonly description?: string;
  readonly createdAt: string;
  readonly updatedAt?: string;
};

export type Explanation = {
  readonly state?: string;
  readonly summary: string;
  readonly activity?: string;
  readonly stage?: string;
  readonly step?: string;
  readonly attempt?: number;
  readonly owner?: string;
  readonly waitingFor?: string;
  readonly system?: string;
  readonly because?: string;
  readonly since?: string;
  readonly nextTryAt?: string;
  readonly deadline?: string;
  readonly canceling?: string;
  readonly notCompleted?: readonly string[];
  readonly action?: string;
  readonly failure?: {
    readonly class: string;
    readonly message: string;
    readonly reason?: string;
    readonly system?: string;
    readonly action?: string;
  };
};

export type Operation = {
  readonly operationID: string;
  readonly type: string;
  readonly instanceID?: string;
  /** What it is about, if that is no instance. */
  readonly subject?: string;
  readonly globalAccountID?: string;
  readonly orchestrationID?: string;
  readonly state: string;
  readonly description?: string;
  readonly createdAt: string;
  readonly updatedAt?: string;
  readonly endedAt?: string;
  readonly finishedStages?: readonly string[];
  readonly executedButNotCompletedSteps?: readonly string[];
  readonly explanation: Explanation;
};

export type OperationDetail = Operation & {
  readonly stages: readonly {
    readonly name: string;
    readonly state: 'finished' | 'current' | 'ahead';
    readonly steps: readonly { readonly name: string; readonly owner?: string }[];
  }[];
  readonly timeline: readonly StepRun[];
  readonly timelineTotal: number;
};

export type StepRun = {
  readonly number: number;
  readonly stage: string;
  readonly step: string;
  readonly outcome: string;
  readonly because?: string;
  readonly system?: string;
  readonly attempt: number;
  readonly runs: number;
  readonly replica?: string;
  readonly startedAt: string;
  readonly endedAt?: string;
  readonly durationMs: number;
};

export type Orchestration = {
  readonly orchestrationID: string;
  readonly type: string;
  readonly state: string;
  readonly description?: string;
  readonly createdAt: string;
  readonly updatedAt?: string;
  readonly parameters?: {
    readonly dryRun?: boolean;
    readonly targets?: {
      readonly include?: readonly object[];
      readonly exclude?: readonly object[];
    };
    readonly strategy?: Readonly<Record<string, unknown>>;
    readonly kyma?: { readonly version?: string };
    readonly kubernetes?: { readonly kubernetesVersion?: string };
  };
  readonly operationStats?: Readonly<Record<string, number>>;
  readonly progress?: OrchestrationProgress;
  readonly pausedBecause?: string;
  readonly explanation?: Explanation;
  readonly report?: object;
};

export type OrchestrationProgress = {
  readonly total: number;
  readonly pending: number;
  readonly inProgress: number;
  readonly succeeded: number;
  readonly failed: number;
  readonly canceled: number;
  readonly wave?: number;
  readonly waves?: number;
};

export type OrchestratedOperation = {
  readonly operationID: string;
  readonly shootName?: string;
  readonly globalAccountID: string;
  readonly subAccountID: string;
  readonly runtimeID?: string;
  readonly servicePlanName?: string;
  readonly maintenanceWindowBegin?: string;
  readonly maintenanceWindowEnd?: string;
  readonly state: string;
  readonly description?: string;
};

export type StoredEvent = {
  readonly ID: string;
  readonly Level: string;
  readonly InstanceID?: string;
  readonly OperationID?: string;
  readonly Message: string;
  readonly CreatedAt: string;
};

/** Finished states of operations, orchestrations and jobs. */
export const isEnded = (state: string): boolean =>
  state === 'succeeded' || state === 'failed' || state === 'canceled';
