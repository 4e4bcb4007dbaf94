import { randomUUID } from 'node:crypto';
import { minutes, seconds, type Milliseconds } from '#time';
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

/** One piece of work on a runtime: where it is follows from the time, unless trouble was staged. */
export class RuntimeOperation {
  readonly id = randomUUID();
  readonly runtimeId: string;
  readonly course: Course;
  readonly #time: SimulatedTime;
  readonly #since: Milliseconds;
  #staged: Outcome | undefined;

  constructor(time: SimulatedTime, runtimeId: string, course: Course) {
    this.#time = time;
    this.#since = time.now();
    this.runtimeId = runtimeId;
    this.course = course;
  }

  /** It is, and stays, as the test wants it. */
  stage(outcome: Outcome): void {
    this.#staged = outcome;
  }

  outcome(): Outcome {
    if (this.#staged) return this.#staged;
    let left = this.#time.now() - this.#since;
    for (const { message, lasts } of courses[this.course].phases) {
      if (left < lasts) return { state: 'InProgress', message, lastError: noError };
      left -= lasts;
    }
    return { state: 'Succeeded', message: 'Operation succeeded', lastError: noError };
  }

  isUnderWay = (): boolean => ['Pending', 'InProgress'].includes(this.outcome().state);
  hasSucceeded = (): boolean => this.outcome().state === 'Succeeded';

  /** As the schema has it. */
  answer() {
    return {
      id: this.id,
      operation: courses[this.course].type,
      ...this.outcome(),
      runtimeID: this.runtimeId,
      compassRuntimeID: this.runtimeId,
    };
  }

  summary() {
    const { id, operation, state, runtimeID } = this.answer();
    return { id, runtimeID, operation, state };
  }
}
