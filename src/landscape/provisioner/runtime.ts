import { randomUUID } from 'node:crypto';
import type { Surroundings } from '../simulated-system.ts';
import { days } from '#time';
import type { RuntimeClusters } from '../gardener/runtime-clusters.ts';
import {
  clusterAnswer,
  merged,
  type GardenerInput,
  type KymaInput,
  type RuntimeInput,
  type ShootInput,
} from './runtime-config.ts';
import {
  newOperation,
  RuntimeOperation,
  type Course,
  type OperationRecord,
} from './runtime-operation.ts';

/** What is known of a cluster. */
export type RuntimeRecord = {
  readonly id: string;
  readonly subaccount: string;
  /** Whoever asks last is the owner: accounts move. */
  tenant: string;
  config: GardenerInput;
  kyma: KymaInput | undefined;
  administrators: readonly string[];
  readonly name: string;
  readonly labels: object;
  /** Made when it is asked for first. */
  kubeconfig?: string | undefined;
  /** Takes the place of the real one, for tests. */
  stagedKubeconfig?: string | null;
  readonly operations: OperationRecord[];
  readonly askedBy: string;
};

export const newRuntime = (
  { tenant, subaccount }: { readonly tenant: string; readonly subaccount: string },
  { runtimeInput, clusterConfig, kymaConfig }: RuntimeInput,
  askedBy: string,
): RuntimeRecord => ({
  id: randomUUID(),
  subaccount,
  tenant,
  config: clusterConfig.gardenerConfig,
  kyma: kymaConfig ?? undefined,
  administrators: clusterConfig.administrators ?? [],
  name: runtimeInput.name,
  labels: { ...runtimeInput.labels },
  operations: [],
  askedBy,
});

/** A cluster and what has happened to it so far. Its record stays when the cluster is gone. */
export class Runtime {
  readonly record: RuntimeRecord;
  readonly operations: RuntimeOperation[];
  readonly #surroundings: Surroundings;
  readonly #clusters: RuntimeClusters;

  constructor(surroundings: Surroundings, clusters: RuntimeClusters, record: RuntimeRecord) {
    this.#surroundings = surroundings;
    this.#clusters = clusters;
    this.record = record;
    this.operations = record.operations.map(
      (operation) => new RuntimeOperation(surroundings.time, operation),
    );
  }

  begin(course: Course): RuntimeOperation {
    const record = newOperation(this.#surroundings, this.record.id, course);
    const operation = new RuntimeOperation(this.#surroundings.time, record);
    this.record.operations.push(record);
    this.operations.push(operation);
    return operation;
  }

  /** Administrators that are not given are removed: so did the real one. */
  upgrade({ gardenerConfig, administrators }: ShootInput): void {
    this.record.config = merged(this.record.config, gardenerConfig);
    this.record.administrators = administrators ?? [];
  }

  isBusy = (): boolean => this.operations.at(-1)?.isUnderWay() ?? false;
  isGone = (): boolean =>
    this.operations.some(
      ({ record, hasSucceeded }) => record.course === 'deprovision' && hasSucceeded(),
    );

  isThere = (): boolean => Boolean(this.operations[0]?.hasSucceeded()) && !this.isGone();

  /** An administrator's, for a cluster that answers. */
  #kubeconfig(): string | undefined {
    const { name } = this.record.config;
    this.#clusters.start(name);
    this.record.kubeconfig ??= this.#clusters.newKubeconfig(name, days(3_650));
    return this.record.kubeconfig;
  }

  /** As the schema has it. */
  answer() {
    const { config, kyma, stagedKubeconfig } = this.record;
    const isThere = this.isThere();
    const real = isThere ? this.#kubeconfig() : null;
    return {
      lastOperationStatus: this.operations.at(-1)?.answer(),
      runtimeConnectionStatus: { status: kyma && isThere ? 'Connected' : 'Pending' },
      runtimeConfiguration: {
        clusterConfig: clusterAnswer(config, isThere),
        kymaConfig: kyma,
        kubeconfig: stagedKubeconfig === undefined ? real : stagedKubeconfig,
      },
    };
  }

  /** Neither kubeconfig nor overrides. */
  summary() {
    const { id, tenant, subaccount, labels, administrators, kyma, askedBy } = this.record;
    const { name, provider, region, kubernetesVersion, machineType } = this.record.config;
    return {
      id,
      tenant,
      subaccount,
      name: this.record.name,
      labels,
      shoot: { name, provider, region, kubernetesVersion, machineType },
      administrators,
      ...(kyma && { kymaVersion: kyma.version }),
      askedBy,
    };
  }
}
