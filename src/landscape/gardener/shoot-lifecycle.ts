import { days, minutes, seconds } from '#time';
import type { KeptState } from '../kept-state.ts';
import type { KubernetesApi } from '../kubernetes/kubernetes-api.ts';
import { secret, shoot as shootKind } from '../kubernetes/kinds.ts';
import {
  timestamp,
  valueAt,
  type Fields,
  type KubernetesObject,
  type Place,
} from '../kubernetes/kubernetes-object.ts';
import { PendingSteps } from '../pending-steps.ts';
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
const webhookInTheWay = 'ValidatingWebhookConfiguration "policies" would block the wake-up.';

/** How far an operation has come; part 0 is that Gardener has seen what is wanted. */
type Step = { readonly shoot: Place; readonly type: OperationType; readonly part: number };

/** What Gardener does about shoots, step by step in simulated time. */
export class ShootLifecycle {
  readonly #api: KubernetesApi;
  readonly #time: SimulatedTime;
  readonly #clusters: RuntimeClusters;
  readonly #namespace: string;
  /** By the shoot's identity: a new operation takes the place of the one before. */
  readonly #steps: PendingSteps<Step>;
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
    this.#steps = new PendingSteps(time, (step) => this.#take(step));
  }

  get state(): KeptState {
    return this.#steps.state;
  }

  onCreate(shoot: KubernetesObject): void {
    this.#report(shoot, 'Create', 'Processing', 0);
    this.#begin(shoot, 'Create');
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
    this.#steps.cancel(metadata.uid);
    this.#clusters.stop(metadata.name);
    this.#api.delete(secret, this.#kubeconfigSecret(metadata.name));
  }

  /** Ends what goes on, as a test wants it. */
  stage(shoot: KubernetesObject, { state, type, errors }: StagedOperation): void {
    this.#steps.cancel(shoot.metadata.uid);
    const itsType = type ?? this.#typeFor(shoot);
    if (state === 'Succeeded') this.#succeed(shoot, itsType);
    else this.#report(shoot, itsType, state, 50, errors);
  }

  /** What Gardener says about it; that it is possible, unless a test wants it otherwise. */
  allowHibernation(shoot: KubernetesObject, isPossible: boolean): void {
    const lastTransitionTime = timestamp(this.#time.date());
    const status = isPossible ? 'True' : 'False';
    const message = isPossible ? 'All webhooks are properly configured.' : webhookInTheWay;
    const constraint = { type: 'HibernationPossible', status, message, lastTransitionTime };
    this.#write(shoot, { status: { constraints: [constraint] } });
  }

  #begin(shoot: KubernetesObject, type: OperationType): void {
    const { uid, namespace = '', name } = shoot.metadata;
    this.#steps.next(uid, attention, { shoot: { namespace, name }, type, part: 0 });
  }

  #take(step: Step): void {
    const shoot = this.#api.get(shootKind, step.shoot);
    if (!shoot) return;
    const { type, part } = step;
    if (part === parts) return this.#succeed(shoot, type);
    if (part === 0 && type === 'Create') this.#schedule(shoot);
    this.#report(shoot, type, 'Processing', (100 / parts) * part);
    const next = { ...step, part: part + 1 };
    return this.#steps.next(shoot.metadata.uid, durations[type] / parts, next);
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
    const hibernated = valueAt(live, ['spec', 'hibernation', 'enabled']) === true;
    const advertisedAddresses = [{ name: 'external', url }];
    this.#write(shoot, { status: { advertisedAddresses, hibernated } });
    if (!valueAt(live, ['status', 'constraints'])) this.allowHibernation(shoot, true);
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

  #kubeconfigSecret(shoot: string) {
    return { namespace: this.#namespace, name: `${shoot}.kubeconfig` };
  }
}
