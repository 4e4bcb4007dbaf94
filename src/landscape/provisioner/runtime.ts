import { randomUUID } from 'node:crypto';
import type { SimulatedTime } from '../simulated-time.ts';
import { newKubeconfig } from './kubeconfig.ts';
import {
  clusterAnswer,
  merged,
  type GardenerInput,
  type KymaInput,
  type RuntimeInput,
  type ShootInput,
} from './runtime-config.ts';
import { RuntimeOperation, type Course } from './runtime-operation.ts';

/** A cluster and what has happened to it so far. Its record stays when the cluster is gone. */
export class Runtime {
  readonly id = randomUUID();
  readonly subaccount: string;
  /** Whoever asks last is the owner: accounts move. */
  tenant: string;
  config: GardenerInput;
  kyma: KymaInput | undefined;
  /** Takes the place of the real one, for tests. */
  stagedKubeconfig: string | null | undefined;
  readonly #time: SimulatedTime;
  readonly #name: string;
  readonly #labels: object;
  readonly #kubeconfig: string;
  readonly #operations: RuntimeOperation[] = [];
  #administrators: readonly string[];

  constructor(
    time: SimulatedTime,
    { tenant, subaccount }: { readonly tenant: string; readonly subaccount: string },
    { runtimeInput, clusterConfig, kymaConfig }: RuntimeInput,
  ) {
    this.#time = time;
    this.tenant = tenant;
    this.subaccount = subaccount;
    this.#name = runtimeInput.name;
    this.#labels = { ...runtimeInput.labels };
    this.config = clusterConfig.gardenerConfig;
    this.#administrators = clusterConfig.administrators ?? [];
    this.kyma = kymaConfig ?? undefined;
    this.#kubeconfig = newKubeconfig(this.config.name);
  }

  begin(course: Course): RuntimeOperation {
    const operation = new RuntimeOperation(this.#time, this.id, course);
    this.#operations.push(operation);
    return operation;
  }

  /** Administrators that are not given are removed: so did the real one. */
  upgrade({ gardenerConfig, administrators }: ShootInput): void {
    this.config = merged(this.config, gardenerConfig);
    this.#administrators = administrators ?? [];
  }

  isBusy = (): boolean => this.#operations.at(-1)?.isUnderWay() ?? false;
  isGone = (): boolean =>
    this.#operations.some(({ course, hasSucceeded }) => course === 'deprovision' && hasSucceeded());

  /** As the schema has it. */
  answer() {
    const isThere = Boolean(this.#operations[0]?.hasSucceeded()) && !this.isGone();
    const kubeconfig = isThere ? this.#kubeconfig : null;
    return {
      lastOperationStatus: this.#operations.at(-1)?.answer(),
      runtimeConnectionStatus: { status: this.kyma && isThere ? 'Connected' : 'Pending' },
      runtimeConfiguration: {
        clusterConfig: clusterAnswer(this.config, isThere),
        kymaConfig: this.kyma,
        kubeconfig: this.stagedKubeconfig === undefined ? kubeconfig : this.stagedKubeconfig,
      },
    };
  }

  /** Neither kubeconfig nor overrides. */
  summary() {
    const { id, tenant, subaccount, kyma } = this;
    const { name, provider, region, kubernetesVersion, machineType } = this.config;
    return {
      id,
      tenant,
      subaccount,
      name: this.#name,
      labels: this.#labels,
      shoot: { name, provider, region, kubernetesVersion, machineType },
      administrators: this.#administrators,
      ...(kyma && { kymaVersion: kyma.version }),
    };
  }
}
