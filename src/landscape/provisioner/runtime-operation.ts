import { randomUUID } from 'node:crypto';
import { minutes, seconds, type Milliseconds } from '#time';
import type { Surroundings } from '../simulated-system.ts';
import type { SimulatedTime } from '../simulated-time.ts';

type Phase = { readonly message: string; readonly lasts: Milliseconds };
const started = (message: string): Phase => ({ message, lasts: seconds(10) });
const stage = (name: string, lasts: Milliseconds): Phase => ({
  message: `Operation in progress. Stage ${name}`,
  lasts,
});

const agent = [
  stage('ConnectRuntimeAgent', seconds(10)),
  stage('WaitForAgentToConnect', seconds(50)),
];
const cluster = [
  started('Provisioning started'),
  stage('WaitingForClusterCreation', seconds(240)),
  stage('CreatingBindingsForOperators', seconds(50)),
];

/** What each kind of operation goes through by itself, and how long that takes. */
const courses = {
  provision: { type: 'Provision', phases: cluster },
  'provision with Kyma': {
    type: 'Provision',
    phases: [...cluster, stage('WaitingForInstallation', minutes(10)), ...agent],
  },
  'upgrade Kyma': {
    type: 'Upgrade',
    phases: [
      started('Starting Kyma upgrade'),
      stage('WaitingForInstallation', minutes(10)),
      stage('UpdatingUpgradeState', seconds(10)),
    ],
  },
  'upgrade shoot': {
    type: 'UpgradeShoot',
    phases: [
      started('Starting Gardener Shoot upgrade'),
      stage('WaitingForShootUpgrade', seconds(100)),
      stage('CreatingBindingsForOperators', seconds(10)),
    ],
  },
  deprovision: {
    type: 'DeprovisionNoInstall',
    phases: [started('Deprovisioning started'), stage('WaitForClusterDeletion', seconds(170))],
  },
  'reconnect agent': {
    type: 'ReconnectRuntime',
    phases: [started('Starting reconnect'), ...agent],
  },
} as const satisfies Record<string, { type: string; phases: readonly Phase[] }>;
export type Course = keyof typeof courses;

export const operationStates = ['Pending', 'InProgress', 'Succeeded', 'Failed'] as const;
export type Outcome = {
  readonly state: (typeof operationStates)[number];
  readonly message: string;
  readonly lastError: { errMessage: string; reason: string; component: string };
};

const noError = { errMessage: '', reason: '', component: '' };

/** What is known of one piece of work on a runtime. */
export type OperationRecord = {
  readonly id: string;
  readonly runtimeId: string;
  readonly course: Course;
  readonly since: Milliseconds;
  readonly askedBy: string;
  /** It is, and stays, as a test wants it. */
  staged?: Outcome;
};

export const newOperation = (
  { time, caller }: Surroundings,
  runtimeId: string,
  course: Course,
): OperationRecord => ({
  id: randomUUID(),
  runtimeId,
  course,
  since: time.now(),
  askedBy: caller(),
});

/** One piece of work on a runtime: where it is follows from the time, unless trouble was staged. */
export class RuntimeOperation {
  readonly record: OperationRecord;
  readonly #time: SimulatedTime;

  constructor(time: SimulatedTime, record: OperationRecord) {
    this.#time = time;
    this.record = record;
  }

  outcome(): Outcome {
    if (this.record.staged) return this.record.staged;
    let left = this.#time.now() - this.record.since;
    for (const { message, lasts } of courses[this.record.course].phases) {
      if (left < lasts) return { state: 'InProgress', message, lastError: noError };
      left -= lasts;
    }
    return { state: 'Succeeded', message: 'Operation succeeded', lastError: noError };
  }

  isUnderWay = (): boolean => ['Pending', 'InProgress'].includes(this.outcome().state);
  hasSucceeded = (): boolean => this.outcome().state === 'Succeeded';

  /** As the schema has it. */
  answer() {
    const { id, course, runtimeId } = this.record;
    return {
      id,
      operation: courses[course].type,
      ...this.outcome(),
      runtimeID: runtimeId,
      compassRuntimeID: runtimeId,
    };
  }

  summary() {
    const { id, operation, state, runtimeID } = this.answer();
    return { id, runtimeID, operation, state, askedBy: this.record.askedBy };
  }
}
