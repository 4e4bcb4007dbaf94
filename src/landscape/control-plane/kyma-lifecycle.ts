import { minutes, seconds, type Milliseconds } from '#time';
import { keeping, type KeptState } from '../kept-state.ts';
import type { KubernetesApi } from '../kubernetes/kubernetes-api.ts';
import { kyma as kymaKind, secret as secretKind } from '../kubernetes/kinds.ts';
import {
  valueAt,
  type Fields,
  type KubernetesObject,
  type Place,
} from '../kubernetes/kubernetes-object.ts';
import { PendingSteps } from '../pending-steps.ts';
import type { SimulatedTime } from '../simulated-time.ts';
import { kymaStatus, type KymaState } from './kyma-status.ts';

/** What a test can make of a Kyma. */
export type StagedKyma = {
  readonly state?: KymaState | undefined;
  /** Its finalizer is never removed. */
  readonly isStuck?: boolean | undefined;
};

const finalizer = 'operator.kyma-project.io/Kyma';
const nameLabel = 'operator.kyma-project.io/kyma-name';
const statePath = ['status', 'state'];

/** The Lifecycle Manager sees a change only so long after it was written. */
const attention = seconds(1);
const installation = minutes(1);
const removal = minutes(1);

/** What comes next for a Kyma. */
type Step = {
  readonly kyma: Place;
  readonly what: 'install' | 'tell the outcome' | 'let go';
};

/** What the Lifecycle Manager does about Kymas, step by step in simulated time. */
export class KymaLifecycle {
  readonly #api: KubernetesApi;
  readonly #time: SimulatedTime;
  /** By the identity of a Kyma: a new run takes the place of the one before. */
  readonly #steps: PendingSteps<Step>;
  readonly #stuck = new Set<string>();
  readonly state: KeptState;
  #isWriting = false;

  constructor(api: KubernetesApi, time: SimulatedTime) {
    this.#api = api;
    this.#time = time;
    this.#steps = new PendingSteps(time, (step) => this.#take(step));
    this.state = keeping({ steps: this.#steps, stuck: this.#stuck });
  }

  onCreate(kyma: KubernetesObject): void {
    this.#install(kyma);
  }

  /** Own writes are no wishes, and labels change nothing. */
  onUpdate(kyma: KubernetesObject, before: KubernetesObject): void {
    if (this.#isWriting || kyma.metadata.generation === before.metadata.generation) return;
    if (kyma.metadata.deletionTimestamp) this.#remove(kyma);
    else this.#install(kyma);
  }

  onDelete({ metadata }: KubernetesObject): void {
    this.#steps.cancel(metadata.uid);
    this.#stuck.delete(metadata.uid);
  }

  /** A kubeconfig came, changed or went: this may be what a Kyma waits for, or what it cannot do without. */
  onSecret({ metadata: { namespace = '', labels } }: KubernetesObject): void {
    const name = labels?.[nameLabel];
    const kyma = name && this.#api.get(kymaKind, { namespace, name });
    if (!kyma || kyma.metadata.deletionTimestamp) return;
    const hadKubeconfig = { Ready: true, Warning: false }[String(valueAt(kyma, statePath))];
    if (hadKubeconfig !== undefined && hadKubeconfig !== this.#hasKubeconfig(kyma))
      this.#install(kyma);
  }

  stage(kyma: KubernetesObject, { state, isStuck }: StagedKyma): void {
    const { uid, deletionTimestamp } = kyma.metadata;
    if (state !== undefined) {
      this.#steps.cancel(uid);
      this.#report(kyma, state, 'set from outside');
    }
    if (isStuck === true) this.#stuck.add(uid);
    if (isStuck === false && this.#stuck.delete(uid) && deletionTimestamp) this.#remove(kyma);
  }

  #install(kyma: KubernetesObject): void {
    this.#next(kyma, attention, 'install');
  }

  /** Whoever marks it after the finalizer was added has to wait; before that it is simply gone. */
  #remove(kyma: KubernetesObject): void {
    this.#report(kyma, 'Deleting', 'modules are being removed');
    this.#next(kyma, removal, 'let go');
  }

  #next({ metadata }: KubernetesObject, wait: Milliseconds, what: Step['what']): void {
    const { uid, namespace = '', name } = metadata;
    this.#steps.next(uid, wait, { kyma: { namespace, name }, what });
  }

  #take({ kyma, what }: Step): void {
    const live = this.#api.get(kymaKind, kyma);
    if (!live) return;
    const { uid, finalizers = [] } = live.metadata;
    switch (what) {
      case 'install':
        this.#write(live, { metadata: { finalizers: [...new Set([...finalizers, finalizer])] } });
        this.#report(live, 'Processing', 'modules are being installed');
        this.#next(live, installation, 'tell the outcome');
        return;
      case 'tell the outcome':
        if (this.#hasKubeconfig(live)) this.#report(live, 'Ready', 'all modules are ready');
        else this.#report(live, 'Warning', 'no Secret with a kubeconfig was found');
        return;
      case 'let go': {
        if (this.#stuck.has(uid)) return;
        const left = finalizers.filter((each) => each !== finalizer);
        this.#write(live, { metadata: { finalizers: left } });
      }
    }
  }

  /** By the label: the name of the Secret means nothing. */
  #hasKubeconfig({ metadata: { namespace = '', name } }: KubernetesObject): boolean {
    const found = this.#api.list(secretKind, { namespace, labelSelector: `${nameLabel}=${name}` });
    return found.some((secret) => Boolean(valueAt(secret, ['data', 'config'])));
  }

  #report(kyma: KubernetesObject, state: KymaState, message: string): void {
    const live = this.#api.get(kymaKind, kyma.metadata) ?? kyma;
    this.#write(kyma, { status: kymaStatus(live, { state, message, at: this.#time.date() }) });
  }

  #write({ metadata }: KubernetesObject, patch: Fields): void {
    this.#isWriting = true;
    try {
      this.#api.patch(kymaKind, metadata, patch);
    } finally {
      this.#isWriting = false;
    }
  }
}
