import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { seconds, type Milliseconds } from '#time';
import { keeping } from '../kept-state.ts';
import { clusterRoleBinding, serviceAccount } from '../kubernetes/kinds.ts';
import type { KubernetesApi } from '../kubernetes/kubernetes-api.ts';
import {
  isFields,
  timestamp,
  type Fields,
  type KubernetesObject,
  type Place,
} from '../kubernetes/kubernetes-object.ts';
import { invalid } from '../kubernetes/status-error.ts';
import type { SimulatedTime } from '../simulated-time.ts';

/** Whose it is, and until when it is good in simulated time. */
type Given = { readonly account: Place; readonly uid: string; readonly until: Milliseconds };

const TokenRequest = z.object({
  spec: z
    .object({
      expirationSeconds: z
        .int()
        .min(600)
        .max(2 ** 32)
        .default(3_600),
    })
    .default({ expirationSeconds: 3_600 }),
});

/** `serviceaccounts/<name>/token` of one cluster. A token ends with its time or its account, whichever goes first. */
export class ServiceAccountTokens {
  readonly #time: SimulatedTime;
  readonly #given = new Map<string, Given>();
  readonly state = keeping({ given: this.#given });

  constructor(time: SimulatedTime) {
    this.#time = time;
  }

  serveOn(api: KubernetesApi): void {
    api.hook(serviceAccount, {
      subresources: { token: (account, body) => this.#issue(account, body) },
    });
  }

  /** Of roles, the simulated cluster knows the one that may do everything: without it an account may do nothing. */
  accepts(token: string, api: KubernetesApi): boolean | 'without rights' {
    const given = this.#given.get(token);
    if (!given || given.until <= this.#time.now()) return false;
    if (api.get(serviceAccount, given.account)?.metadata.uid !== given.uid) return false;
    return isAdministrator(given.account, api) || 'without rights';
  }

  #issue({ metadata }: KubernetesObject, body: unknown): Fields {
    const request = TokenRequest.safeParse(body);
    if (!request.success) {
      const why = 'Invalid value: may not specify a duration less than 10 minutes';
      throw invalid(serviceAccount, metadata.name, 'spec.expirationSeconds', why);
    }
    const { expirationSeconds } = request.data.spec;
    const { name, namespace, uid } = metadata;
    const lifetime = seconds(expirationSeconds);
    const token = randomUUID();
    const account = { name, ...(namespace !== undefined && { namespace }) };
    this.#given.set(token, { account, uid, until: this.#time.now() + lifetime });
    const now = this.#time.date();
    return {
      apiVersion: 'authentication.k8s.io/v1',
      kind: 'TokenRequest',
      metadata: { name, namespace, creationTimestamp: timestamp(now) },
      spec: { audiences: ['https://kubernetes.default.svc'], expirationSeconds },
      status: { token, expirationTimestamp: timestamp(new Date(now.getTime() + lifetime)) },
    };
  }
}

const isAdministrator = ({ namespace, name }: Place, api: KubernetesApi): boolean =>
  api
    .list(clusterRoleBinding)
    .some(
      ({ roleRef, subjects }) =>
        isFields(roleRef) &&
        roleRef['name'] === 'cluster-admin' &&
        Array.isArray(subjects) &&
        subjects.some(
          (subject: unknown) =>
            isFields(subject) &&
            subject['kind'] === 'ServiceAccount' &&
            subject['namespace'] === namespace &&
            subject['name'] === name,
        ),
    );
