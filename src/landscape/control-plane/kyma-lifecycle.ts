import { minutes, seconds, type Milliseconds } from '#time';
import type { KubernetesApi } from '../kubernetes/kubernetes-api.ts';
import { kyma as kymaKind, secret as secretKind } from '../kubernetes/kinds.ts';
import { valueAt, type Fields, type KubernetesObject } from '../kubernetes/kubernetes-object.ts';
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

/** What the Lifecycle Manager does about Kymas, step by step in simulated time. */
export class KymaLifecycle {
  readonly #api: KubernetesApi;
  readonly #time: SimulatedTime;
  /** By the identity of a Kyma, which run on it is the present one: those before it have been given up. */
  readonly #current = new Map<string, number>();
  readonly #stuck = new Set<string>();
  #isWriting = false;

  constructor(api: KubernetesApi, time: SimulatedTime) {
    this.#api = api;
    this.#time = time;
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
    this.#current.delete(metadata.uid);
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
      this.#newRun(kyma);
      this.#report(kyma, state, 'set from outside');
    }
    if (isStuck === true) this.#stuck.add(uid);
    if (isStuck === false && this.#stuck.delete(uid) && deletionTimestamp) this.#remove(kyma);
  }

  #install(kyma: KubernetesObject): void {
    const run = this.#newRun(kyma);
    this.#later(kyma, run, attention, (live) => {
      const { finalizers = [] } = live.metadata;
      this.#write(live, { metadata: { finalizers: [...new Set([...finalizers, finalizer])] } });
      this.#report(live, 'Processing', 'modules are being installed');
      this.#later(kyma, run, installation, (live) => {
        if (this.#hasKubeconfig(live)) this.#report(live, 'Ready', 'all modules are ready');
        else this.#report(live, 'Warning', 'no Secret with a kubeconfig was found');
      });
    });
  }

  /** Whoever marks it after the finalizer was added has to wait; before that it is simply gone. */
  #remove(kyma: KubernetesObject): void {
    const run = this.#newRun(kyma);
    this.#report(kyma, 'Deleting', 'modules are being removed');
    this.#later(kyma, run, removal, (live) => {
      if (this.#stuck.has(live.metadata.uid)) return;
      const left = (live.metadata.finalizers ?? []).filter((each) => each !== finalizer);
      this.#write(live, { metadata: { finalizers: left } });
    });
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

  #newRun({ metadata }: KubernetesObject): number {
    const run = (this.#current.get(metadata.uid) ?? 0) + 1;
    this.#current.set(metadata.uid, run);
    return run;
  }

  #later(
    { metadata }: KubernetesObject,
    run: number,
    wait: Milliseconds,
    act: (live: KubernetesObject) => void,
  ): void {
    this.#time.after(wait, () => {
      const live = this.#api.get(kymaKind, metadata);
      if (live && this.#current.get(metadata.uid) === run) act(live);
    });
  }
}
