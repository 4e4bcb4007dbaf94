import { RuntimeClusters } from '../gardener/runtime-clusters.ts';
import type { KeptState } from '../kept-state.ts';
import type { KubernetesApi } from '../kubernetes/kubernetes-api.ts';
import type { Surroundings } from '../simulated-system.ts';
import {
  checkKymaUpgrade,
  checkProvider,
  checkProvisioning,
  checkUpgrade,
  checkZones,
} from './input-rules.ts';
import { refuse } from './refusal.ts';
import type { KymaInput, RuntimeInput, ShootInput } from './runtime-config.ts';
import type { RuntimeOperation } from './runtime-operation.ts';
import { newRuntime, Runtime, type RuntimeRecord } from './runtime.ts';

/** What the headers say. */
export type Caller = {
  readonly tenant: string;
  readonly subaccount: string;
  /** A second call with the same key gets what the first one began. */
  readonly idempotencyKey: string;
};

type SavedRuntimes = {
  readonly runtimes: readonly RuntimeRecord[];
  readonly byKey: ReadonlyMap<string, string>;
  readonly clusters: unknown;
};

/** All runtimes and their operations: one at a time for each runtime, checked in the order of the real provisioner. */
export class Runtimes {
  readonly #surroundings: Surroundings;
  readonly #all = new Map<string, Runtime>();
  readonly #operations = new Map<string, RuntimeOperation>();
  /** The IDs of operations. */
  readonly #byKey = new Map<string, string>();

  /** The clusters themselves, by the names of their shoots. */
  readonly #clusters: RuntimeClusters;

  constructor(surroundings: Surroundings) {
    const { time, certificate, secureUrl } = surroundings;
    this.#surroundings = surroundings;
    this.#clusters = new RuntimeClusters(time, certificate, () => `${secureUrl()}/clusters`);
  }

  /** Undefined once the runtime is gone. */
  cluster(shoot: string): KubernetesApi | undefined {
    if (!this.#owning(shoot)) this.#clusters.stop(shoot);
    return this.#clusters.find(shoot);
  }

  close(): void {
    this.#clusters.close();
  }

  readonly state: KeptState = {
    save: () => ({
      runtimes: [...this.#all.values()].map(({ record }) => record),
      byKey: this.#byKey,
      clusters: this.#clusters.state.save(),
    }),
    restore: (saved) => {
      const { runtimes, byKey, clusters } = saved as SavedRuntimes;
      this.#clusters.state.restore(clusters);
      for (const record of runtimes) {
        const runtime = new Runtime(this.#surroundings, this.#clusters, record);
        this.#all.set(record.id, runtime);
        for (const operation of runtime.operations)
          this.#operations.set(operation.record.id, operation);
      }
      for (const [key, id] of byKey) this.#byKey.set(key, id);
    },
  };

  inventory = () => ({
    runtimes: [...this.#all.values()]
      .filter((runtime) => !runtime.isGone())
      .map((runtime) => runtime.summary()),
    clusters: this.#clusters.inventory().flatMap((cluster) => {
      const runtime = this.#owning(cluster.shoot);
      return runtime ? [{ ...cluster, askedBy: runtime.record.askedBy }] : [];
    }),
    operations: [...this.#operations.values()].map((operation) => operation.summary()),
  });
  find = (id: string): Runtime | undefined => this.#all.get(id);
  findOperation = (id: string): RuntimeOperation | undefined => this.#operations.get(id);

  provision(caller: Caller, input: RuntimeInput): RuntimeOperation {
    checkProvisioning(input);
    checkTenant(caller);
    return this.#once(caller, 'provision', () => {
      const { name, providerSpecificConfig } = input.clusterConfig.gardenerConfig;
      checkProvider(providerSpecificConfig);
      const record = newRuntime(caller, input, this.#surroundings.caller());
      const runtime = new Runtime(this.#surroundings, this.#clusters, record);
      if (
        [...this.#all.values()].some((each) => each.record.config.name === name && !each.isGone())
      )
        throw refuse(
          'already exists',
          `Failed to start provisioning, error creating Shoot for ${record.id} cluster: shoots.core.gardener.cloud "${name}" already exists`,
        );
      this.#all.set(record.id, runtime);
      return runtime.begin(record.kyma ? 'provision with Kyma' : 'provision');
    });
  }

  upgradeShoot(caller: Caller, id: string, input: ShootInput): RuntimeOperation {
    const runtime = this.get(caller, id);
    return this.#once(caller, `upgrade shoot ${id}`, () => {
      checkUpgrade(input.gardenerConfig);
      checkFree(runtime);
      if (runtime.isGone())
        throw refuse('internal', `Failed to get shoot, failed to find shoot for Runtime ${id}`);
      checkZones(runtime.record.config, input.gardenerConfig);
      runtime.upgrade(input);
      return runtime.begin('upgrade shoot');
    });
  }

  /** Only for what was provisioned with Kyma 1.x: later ones belong to the Reconciler, whoever asks. */
  upgradeKyma(caller: Caller, id: string, kymaConfig: KymaInput): RuntimeOperation {
    if (!this.find(id)?.record.kyma)
      throw refuse(
        'internal',
        `failed to upgrade cluster: ${id} Kyma configuration of the cluster is managed by Reconciler`,
      );
    const runtime = this.get(caller, id);
    return this.#once(caller, `upgrade Kyma ${id}`, () => {
      checkKymaUpgrade(kymaConfig);
      checkFree(runtime);
      runtime.record.kyma = kymaConfig;
      return runtime.begin('upgrade Kyma');
    });
  }

  /** Also of what is gone already: the second time there is only less to do. */
  deprovision(caller: Caller, id: string): RuntimeOperation {
    const runtime = this.get(caller, id);
    return this.#once(caller, `deprovision ${id}`, () => {
      checkFree(runtime);
      return runtime.begin('deprovision');
    });
  }

  /** Nothing, where no agent was installed. */
  reconnectAgent(caller: Caller, id: string): RuntimeOperation | undefined {
    if (!this.find(id)?.record.kyma) return undefined;
    const runtime = this.get(caller, id);
    return this.#once(caller, `reconnect agent ${id}`, () => {
      checkFree(runtime);
      return runtime.begin('reconnect agent');
    });
  }

  /** The caller becomes its tenant. */
  get(caller: Caller, id: string): Runtime {
    checkTenant(caller);
    checkId(id);
    const runtime = this.find(id);
    if (!runtime) throw refuse('not found', `Cannot find Tenant for runtimeID:'${id}`);
    runtime.record.tenant = caller.tenant;
    return runtime;
  }

  getOperation(caller: Caller, id: string): RuntimeOperation {
    checkId(id);
    const operation = this.findOperation(id);
    if (!operation)
      throw refuse(
        'not found',
        `failed to get Runtime Operation Status, Operation not found for id: ${id}`,
      );
    this.get(caller, operation.record.runtimeId);
    return operation;
  }

  #owning(shoot: string): Runtime | undefined {
    return [...this.#all.values()].find(
      (runtime) => runtime.record.config.name === shoot && runtime.isThere(),
    );
  }

  #once({ idempotencyKey }: Caller, what: string, begin: () => RuntimeOperation): RuntimeOperation {
    const key = idempotencyKey && `${what} ${idempotencyKey}`;
    const operation = this.#operations.get(this.#byKey.get(key) ?? '') ?? begin();
    const { id } = operation.record;
    this.#operations.set(id, operation);
    if (key) this.#byKey.set(key, id);
    return operation;
  }
}

function checkTenant({ tenant }: Caller): void {
  if (tenant === '') throw refuse('bad request', 'tenant header is empty');
}

function checkFree(runtime: Runtime): void {
  if (!runtime.isBusy()) return;
  throw refuse(
    'bad request',
    `cannot start new operation for ${runtime.record.id} Runtime while previous one is in progress`,
  );
}

function checkId(id: string): void {
  if (!/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(id))
    throw refuse('database error', `pq: invalid input syntax for type uuid: "${id}"`);
}
