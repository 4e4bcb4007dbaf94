import { randomUUID } from 'node:crypto';
import { seconds, type Milliseconds } from '#time';
import { keeping, type KeptState } from '../kept-state.ts';
import { KubernetesApi } from '../kubernetes/kubernetes-api.ts';
import { btpKinds, coreKinds, rbacKinds } from '../kubernetes/kinds.ts';
import type { KubernetesObject } from '../kubernetes/kubernetes-object.ts';
import type { SimulatedTime } from '../simulated-time.ts';
import { kubeconfigFor } from './kubeconfig.ts';
import { simulateKymaInstallation } from './kyma-installation.ts';
import { RuntimeAgent } from './runtime-agent.ts';
import { ServiceAccountTokens } from './service-account-tokens.ts';

type RuntimeCluster = {
  readonly api: KubernetesApi;
  readonly agent: RuntimeAgent;
  /** Until when each is good, in simulated time. */
  readonly tokens: Map<string, Milliseconds>;
  readonly state: KeptState;
};

const btpFinalizer = 'services.cloud.sap.com/sap-btp-finalizer';
const btpCleanUp = seconds(30);

/** The clusters that the shoots are, by the shoots' names. */
export class RuntimeClusters {
  readonly #time: SimulatedTime;
  readonly #certificate: string;
  readonly #url: () => string;
  readonly #clusters = new Map<string, RuntimeCluster>();

  /** Each is reached below the URL by the shoot's name. */
  constructor(time: SimulatedTime, certificate: string, url: () => string) {
    this.#time = time;
    this.#certificate = certificate;
    this.#url = url;
  }

  find(shoot: string): KubernetesApi | undefined {
    return this.#clusters.get(shoot)?.api;
  }

  start(shoot: string): void {
    if (this.#clusters.has(shoot)) return;
    const tokens = new Map<string, Milliseconds>();
    const accountTokens = new ServiceAccountTokens(this.#time);
    const api: KubernetesApi = new KubernetesApi({
      kinds: [...coreKinds, ...rbacKinds, ...btpKinds],
      now: () => this.#time.date(),
      acceptsToken: (token) =>
        (tokens.get(token) ?? 0) > this.#time.now() || accountTokens.accepts(token, api),
    });
    accountTokens.serveOn(api);
    this.#cleanUpSlowly(api);
    const agent = new RuntimeAgent(api, this.#time);
    simulateKymaInstallation(api, this.#time, agent);
    const state = keeping({ tokens, accountTokens, agent, api });
    this.#clusters.set(shoot, { api, agent, tokens, state });
  }

  stop(shoot: string): void {
    const { api, agent } = this.#clusters.get(shoot) ?? {};
    api?.close();
    agent?.close();
    this.#clusters.delete(shoot);
  }

  /** The landscape ends: nobody is served any more, and all stays as it is. */
  close(): void {
    for (const { api, agent } of this.#clusters.values()) {
      api.close();
      agent.close();
    }
  }

  readonly state: KeptState = {
    save: () => new Map([...this.#clusters].map(([shoot, { state }]) => [shoot, state.save()])),
    restore: (saved) => {
      for (const [shoot, content] of saved as ReadonlyMap<string, unknown>) {
        this.start(shoot);
        this.#clusters.get(shoot)?.state.restore(content);
      }
    },
  };

  /** Undefined unless the cluster is up. */
  newKubeconfig(shoot: string, lifetime: Milliseconds): string | undefined {
    const cluster = this.#clusters.get(shoot);
    if (!cluster) return undefined;
    const token = randomUUID();
    cluster.tokens.set(token, this.#time.now() + lifetime);
    return kubeconfigFor(shoot, `${this.#url()}/${shoot}`, {
      token,
      certificate: this.#certificate,
    });
  }

  inventory(): { shoot: string; objects: Record<string, readonly unknown[]> }[] {
    return [...this.#clusters].map(([shoot, { api }]) => ({ shoot, objects: api.inventory() }));
  }

  /** The BTP operator gives back what was ordered before it lets an object go. */
  #cleanUpSlowly(api: KubernetesApi): void {
    for (const kind of btpKinds) {
      const cleanUp = ({ metadata }: KubernetesObject) => {
        if (!metadata.deletionTimestamp) return;
        this.#time.after(btpCleanUp, () => {
          const { finalizers = [], uid } = api.get(kind, metadata)?.metadata ?? {};
          if (uid !== metadata.uid) return;
          const left = finalizers.filter((each) => each !== btpFinalizer);
          api.patch(kind, metadata, { metadata: { finalizers: left } });
        });
      };
      api.hook(kind, {
        admit(change) {
          if (change.operation !== 'CREATE') return;
          const { metadata } = change.object;
          metadata.finalizers = [...(metadata.finalizers ?? []), btpFinalizer];
        },
        onUpdate(object, before) {
          if (!before.metadata.deletionTimestamp) cleanUp(object);
        },
        onRestore: cleanUp,
      });
    }
  }
}
