/** What the broker's API answers, as far as the console reads it. Times are ISO texts. */

export type Page<Item> = {
  readonly data: readonly Item[];
  readonly count: number;
  readonly totalCount: number;
  readonly nextCursor?: string;
};

export type ConsoleConfig = {
  readonly issuer?: string;
  readonly clientId: string;
  readonly demo: boolean;
  readonly landscapeUrl?: string;
};

export type Me = {
  readonly authentication: 'on' | 'off';
  readonly subject?: string;
  readonly groups: readonly string[];
  readonly scopes: readonly string[];
};

export type Failure = {
  readonly class?: string;
  readonly message: string;
  readonly reason?: string;
  readonly system?: string;
  readonly suggestion?: string;
};

/** What an operation does, what it waits for, and why. */
export type Explanation = {
  readonly state: string;
  readonly summary: string;
  readonly activity: string;
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
  readonly failure?: Failure;
  readonly action?: string;
};

export type Operation = {
  readonly operationID: string;
  readonly type: string;
  readonly instanceID?: string;
  readonly orchestrationID?: string;
  readonly state: string;
  readonly description: string;
  readonly createdAt: string;
  readonly startedAt?: string;
  readonly updatedAt: string;
  readonly endedAt?: string;
  readonly finishedStages: readonly string[];
  readonly executedButNotCompletedSteps?: readonly string[];
  /** Steps that are to be left out, and why. */
  readonly skips?: Readonly<Record<string, string>>;
  readonly explanation?: Explanation;
};

export type StepRun = {
  readonly number: number;
  readonly stage: string;
  readonly step: string;
  readonly outcome: string;
  readonly because?: string;
  readonly system?: string;
  readonly errorClass?: string;
  readonly attempt: number;
  readonly runs: number;
  readonly replica: string;
  readonly startedAt: string;
  readonly endedAt: string;
  readonly durationMs: number;
};

export type StageShown = {
  readonly name: string;
  readonly state: 'finished' | 'current' | 'ahead';
  readonly steps: readonly {
    readonly name: string;
    readonly about?: string;
    readonly owner?: string;
  }[];
};

export type OperationInDetail = Operation & {
  readonly stages: readonly StageShown[];
  readonly timeline: readonly StepRun[];
  readonly timelineTotal: number;
};

/** Of retry, skip, unskip and cancel. */
export type ActionAnswer = { readonly dryRun: boolean; readonly effect: string };

export type Runtime = {
  readonly instanceID: string;
  readonly name?: string;
  readonly runtimeID?: string;
  readonly globalAccountID: string;
  readonly subAccountID: string;
  readonly region?: string;
  readonly subAccountRegion?: string;
  readonly shootName?: string;
  readonly serviceClassID: string;
  readonly servicePlanID: string;
  readonly servicePlanName: string;
  readonly provider?: string;
  readonly userID?: string;
  readonly dashboardURL?: string;
  readonly kymaVersion?: string;
  readonly status: {
    readonly createdAt: string;
    readonly modifiedAt?: string;
    readonly expiredAt?: string;
    readonly deletedAt?: string;
    readonly state: string;
    readonly explanation?: Explanation;
  };
};

export type Orchestration = {
  readonly orchestrationID: string;
  readonly type: string;
  readonly state: string;
  readonly description: string;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly pausedBecause?: string;
  readonly parameters?: {
    readonly dryRun?: boolean;
    readonly strategy?: {
      readonly errorBudget?: { readonly failures?: number; readonly percent?: number };
      readonly waves?: readonly { readonly size?: number; readonly percent?: number }[];
      readonly waveSoak?: string;
    };
  };
  readonly progress?: {
    readonly total: number;
    readonly pending: number;
    readonly inProgress: number;
    readonly succeeded: number;
    readonly failed: number;
    readonly canceled: number;
    readonly wave?: number;
    readonly waves?: number;
  };
  /** Of a single one alone. */
  readonly report?: {
    readonly waves: readonly WaveReport[];
    readonly failures: readonly {
      readonly fingerprint: string;
      readonly step: string | null;
      readonly system: string | null;
      readonly message: string;
      readonly count: number;
      readonly runtimes: readonly string[];
    }[];
  };
};
export type WaveReport = Readonly<
  Record<'wave' | 'total' | 'pending' | 'inProgress' | 'succeeded' | 'failed' | 'canceled', number>
>;

export type OrchestrationOperation = {
  readonly operationID: string;
  readonly runtimeID?: string;
  readonly shootName?: string;
  readonly globalAccountID?: string;
  readonly servicePlanName?: string;
  readonly dryRun?: boolean;
  readonly state: string;
  readonly description: string;
};

export type OrchestrationTarget = {
  readonly instanceID: string;
  readonly shootName?: string;
  readonly globalAccountID: string;
  readonly servicePlanName: string;
  readonly region?: string;
  readonly wave?: number;
  readonly maintenanceWindowBegin?: string;
  readonly because?: string;
};

export type OrchestrationPreview = Page<OrchestrationTarget> & {
  readonly skipped?: readonly OrchestrationTarget[];
};

export type JobRun = {
  readonly runID: string;
  readonly trigger: string;
  readonly by?: string;
  readonly dryRun: boolean;
  readonly state: string;
  readonly startedAt: string;
  readonly endedAt?: string;
  readonly summary: string;
  readonly entries?: readonly {
    readonly subject: string;
    readonly outcome: string;
    readonly because?: string;
  }[];
};

export type Job = {
  readonly name: string;
  readonly about: string;
  readonly schedule: string;
  readonly enabled: boolean;
  readonly dryRun: boolean;
  /** Why, if it cannot. */
  readonly cannotRun?: string;
  readonly lastRun?: JobRun;
  readonly nextRunAt?: string;
};

export type ErrorGroup = {
  readonly fingerprint: string;
  readonly type: string;
  readonly step?: string;
  readonly system?: string;
  readonly class: string;
  readonly reason: string;
  readonly message: string;
  readonly action?: string;
  readonly count: number;
  readonly runtimes: readonly string[];
  readonly runtimeCount: number;
  readonly firstAt: string;
  readonly lastAt: string;
  readonly open: number;
};

type CountsByType = Readonly<Record<string, number>>;
export type StateStatistics = {
  readonly data: readonly {
    readonly at: string;
    readonly started: CountsByType;
    readonly succeeded: CountsByType;
    readonly failed: CountsByType;
    readonly canceled: CountsByType;
  }[];
  readonly now: Readonly<Record<string, number>>;
};

export type StepStatistics = {
  readonly type: string;
  readonly stage: string;
  readonly step: string;
  readonly runs: number;
  readonly failures: number;
  readonly p50Ms: number;
  readonly p90Ms: number;
  readonly p99Ms: number;
};

export type QueueStatistics = {
  readonly due: number;
  readonly oldestDueSince?: string;
  readonly latenessMs: { readonly p50: number | null; readonly p99: number | null };
  readonly open: readonly {
    readonly type: string;
    readonly state: string;
    readonly count: number;
  }[];
  readonly replicas: readonly {
    readonly name: string;
    readonly startedAt: string;
    readonly heartbeatAt: string;
    readonly running: number;
  }[];
};

/** Of the Open Service Broker API. */
export type CatalogPlan = {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly metadata?: { readonly displayName?: string };
  readonly schemas: {
    readonly service_instance: {
      readonly create: { readonly parameters: JsonSchema };
      readonly update: { readonly parameters: JsonSchema };
    };
  };
};
export type Catalog = {
  readonly services: readonly { readonly id: string; readonly plans: readonly CatalogPlan[] }[];
};

/** What the Open Service Broker API tells of an instance. */
export type FetchedInstance = {
  readonly service_id: string;
  readonly plan_id: string;
  readonly dashboard_url?: string;
  readonly parameters: {
    readonly platform_region: string;
    readonly parameters: { readonly name?: string; readonly [parameter: string]: unknown };
  };
};

/** As much of JSON schema as plans use. */
export type JsonSchema = {
  readonly type?: string;
  readonly title?: string;
  readonly description?: string;
  readonly default?: unknown;
  readonly enum?: readonly string[];
  readonly _enumDisplayName?: Readonly<Record<string, string>>;
  readonly _controlsOrder?: readonly string[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly pattern?: string;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly patternProperties?: Readonly<Record<string, JsonSchema>>;
  readonly items?: JsonSchema;
  readonly anyOf?: readonly JsonSchema[];
};

/** Of the landscape. */
export type DemoUser = {
  readonly name: string;
  readonly fullName: string;
  readonly groups: readonly string[];
  readonly scopes: readonly string[];
};
export type Fault = {
  readonly system: string;
  readonly method?: string;
  readonly path?: string;
  readonly field?: string;
  readonly action: {
    readonly kind: string;
    readonly status?: number;
    readonly for?: number;
    readonly state?: string;
  };
};
export type ActiveFault = {
  readonly id: number;
  readonly fault: Fault;
  readonly left: number | null;
};
export type Inventory = Readonly<Record<string, Readonly<Record<string, readonly unknown[]>>>>;
export type SeenRequest = {
  readonly system: string;
  readonly method: string;
  readonly path: string;
  readonly by: string;
  readonly fields?: readonly string[];
  readonly status: number | 'no answer';
};
