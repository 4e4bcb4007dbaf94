import { days, minutes, seconds, type Milliseconds } from '#time';
import type { KubernetesApi } from '../kubernetes/kubernetes-api.ts';
import { secret, shoot as shootKind } from '../kubernetes/kinds.ts';
import {
  timestamp,
  valueAt,
  type Fields,
  type KubernetesObject,
} from '../kubernetes/kubernetes-object.ts';
import type { SimulatedTime } from '../simulated-time.ts';
import type { RuntimeClusters } from './runtime-clusters.ts';

const durations = { Create: minutes(5), Reconcile: minutes(2), Delete: minutes(3) };
type OperationType = keyof typeof durations;

/** What a test can make of the operation that goes on, or went on last. */
export type StagedOperation = {
  readonly state: 'Processing' | 'Succeeded' | 'Error' | 'Failed' | 'Pending' | 'Aborted';
  readonly type?: OperationType | undefined;
  readonly errors: readonly { readonly description: string; readonly codes: readonly string[] }[];
};

/** Gardener sees what is wanted only so long after it was written. */
const attention = seconds(5);
const parts = 5;
const forever = days(3_650);

/** What Gardener does about shoots, step by step in simulated time. */
export class ShootLifecycle {
  readonly #api: KubernetesApi;
  readonly #time: SimulatedTime;
  readonly #clusters: RuntimeClusters;
  readonly #namespace: string;
  /** By the shoot's identity, which of its operations is the present one: those before it have been given up. */
  readonly #current = new Map<string, number>();
  #isWriting = false;

  constructor(
    api: KubernetesApi,
    time: SimulatedTime,
    clusters: RuntimeClusters,
    namespace: string,
  ) {
    this.#api = api;
    this.#time = time;
    this.#clusters = clusters;
    this.#namespace = namespace;
  }

  onCreate(shoot: KubernetesObject): void {
    const run = this.#newRun(shoot);
    this.#report(shoot, 'Create', 'Processing', 0);
    this.#later(shoot, run, attention, () => {
      this.#schedule(shoot);
      this.#proceed(shoot, run, 'Create', 1);
    });
  }

  /** Own writes are no wishes. */
  onUpdate(shoot: KubernetesObject, before: KubernetesObject): void {
    if (this.#isWriting) return;
    const { deletionTimestamp, generation, annotations } = shoot.metadata;
    if (deletionTimestamp && !before.metadata.deletionTimestamp)
      return this.#begin(shoot, 'Delete');
    const isAskedFor = ['reconcile', 'retry'].includes(
      annotations?.['gardener.cloud/operation'] ?? '',
    );
    if (isAskedFor)
      this.#write(shoot, { metadata: { annotations: { 'gardener.cloud/operation': null } } });
    if (!isAskedFor && generation === before.metadata.generation) return undefined;
    return this.#begin(shoot, this.#typeFor(shoot));
  }

  onDelete({ metadata }: KubernetesObject): void {
    this.#current.delete(metadata.uid);
    this.#clusters.stop(metadata.name);
    this.#api.delete(secret, this.#kubeconfigSecret(metadata.name));
  }

  /** Ends what goes on, as a test wants it. */
  stage(shoot: KubernetesObject, { state, type, errors }: StagedOperation): void {
    this.#newRun(shoot);
    const itsType = type ?? this.#typeFor(shoot);
    if (state === 'Succeeded') this.#succeed(shoot, itsType);
    else this.#report(shoot, itsType, state, 50, errors);
  }

  #begin(shoot: KubernetesObject, type: OperationType): void {
    const run = this.#newRun(shoot);
    this.#later(shoot, run, attention, () => {
      this.#report(shoot, type, 'Processing', 0);
      this.#proceed(shoot, run, type, 1);
    });
  }

  #proceed(shoot: KubernetesObject, run: number, type: OperationType, part: number): void {
    this.#later(shoot, run, durations[type] / parts, () => {
      if (part === parts) return this.#succeed(shoot, type);
      this.#report(shoot, type, 'Processing', (100 / parts) * part);
      return this.#proceed(shoot, run, type, part + 1);
    });
  }

  #succeed(shoot: KubernetesObject, type: OperationType): void {
    if (type === 'Delete') {
      this.#write(shoot, { metadata: { finalizers: null } });
      return;
    }
    const { name } = shoot.metadata;
    const live = this.#schedule(shoot);
    this.#clusters.start(name);
    const place = this.#kubeconfigSecret(name);
    const isWanted = valueAt(live, ['spec', 'kubernetes', 'enableStaticTokenKubeconfig']) !== false;
    if (isWanted && !this.#api.get(secret, place)) {
      const kubeconfig = this.#clusters.newKubeconfig(name, forever);
      this.#api.create(secret, { metadata: place, stringData: { kubeconfig } });
    }
    const url = `https://api.${String(valueAt(live, ['spec', 'dns', 'domain']))}`;
    this.#write(shoot, { status: { advertisedAddresses: [{ name: 'external', url }] } });
    this.#report(shoot, type, 'Succeeded', 100);
  }

  /** Gives it a domain and a seed, if it has none yet. */
  #schedule(shoot: KubernetesObject): KubernetesObject {
    const { name } = shoot.metadata;
    const { spec } = this.#api.get(shootKind, shoot.metadata) ?? shoot;
    const domain = valueAt(spec, ['dns', 'domain']) ?? `${name}.kyma.example.com`;
    const provider = valueAt(spec, ['provider', 'type']);
    const ofProvider = `${typeof provider === 'string' ? provider : 'azure'}-eu1`;
    const seedName = valueAt(spec, ['seedName']) ?? ofProvider;
    const technicalID = `shoot--${this.#namespace.replace('garden-', '')}--${name}`;
    return this.#write(shoot, { spec: { dns: { domain }, seedName }, status: { technicalID } });
  }

  #report(
    shoot: KubernetesObject,
    type: OperationType,
    state: StagedOperation['state'],
    progress: number,
    errors: StagedOperation['errors'] = [],
  ): void {
    const lastUpdateTime = timestamp(this.#time.date());
    const { generation } = this.#api.get(shootKind, shoot.metadata)?.metadata ?? {};
    const description = `${type} of the shoot cluster: ${state}`;
    this.#write(shoot, {
      status: {
        observedGeneration: generation,
        hibernated: false,
        lastOperation: { type, state, progress, description, lastUpdateTime },
        lastErrors: errors.length > 0 ? errors.map((each) => ({ ...each, lastUpdateTime })) : null,
      },
    });
  }

  #write(shoot: KubernetesObject, patch: Fields): KubernetesObject {
    this.#isWriting = true;
    try {
      return this.#api.patch(shootKind, shoot.metadata, patch);
    } finally {
      this.#isWriting = false;
    }
  }

  /** A shoot that was never finished goes on being created. */
  #typeFor({ metadata }: KubernetesObject): OperationType {
    if (metadata.deletionTimestamp) return 'Delete';
    return this.#clusters.find(metadata.name) ? 'Reconcile' : 'Create';
  }

  #newRun({ metadata }: KubernetesObject): number {
    const run = (this.#current.get(metadata.uid) ?? 0) + 1;
    this.#current.set(metadata.uid, run);
    return run;
  }

  #later({ metadata }: KubernetesObject, run: number, wait: Milliseconds, act: () => void): void {
    this.#time.after(wait, () => {
      if (this.#current.get(metadata.uid) === run) act();
    });
  }

  #kubeconfigSecret(shoot: string) {
    return { namespace: this.#namespace, name: `${shoot}.kubeconfig` };
  }
}
