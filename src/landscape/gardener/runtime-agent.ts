import { z } from 'zod';
import { minutes, seconds } from '#time';
import type { KeptState } from '../kept-state.ts';
import { secret as secretKind } from '../kubernetes/kinds.ts';
import type { KubernetesApi } from '../kubernetes/kubernetes-api.ts';
import {
  timestamp,
  valueAt,
  type Fields,
  type KubernetesObject,
} from '../kubernetes/kubernetes-object.ts';
import type { ResourceKind } from '../kubernetes/resource-kind.ts';
import type { SimulatedTime } from '../simulated-time.ts';
import { define, undefine, type SimulatedKind } from './custom-resources.ts';

const compassConnection: ResourceKind = {
  group: 'compass.kyma-project.io',
  version: 'v1alpha1',
  plural: 'compassconnections',
  singular: 'compassconnection',
  kind: 'CompassConnection',
  namespaced: false,
  hasStatus: false,
  hasGeneration: true,
  isCustom: true,
  additionalPrinterColumns: [{ name: 'State', type: 'string', value: '.status.connectionState' }],
};

const place = { name: 'compass-connection' };
const secretName = 'compass-agent-configuration';
const attention = seconds(10);
const untilNextTry = minutes(1);
const Configuration = z.object({ CONNECTOR_URL: z.url(), TOKEN: z.string().min(1) });
const Connected = z.object({
  data: z.object({
    result: z.object({
      managementPlaneInfo: z.object({
        directorURL: z.string(),
        certificateSecuredConnectorURL: z.string(),
      }),
    }),
  }),
});
const question =
  'query { result: configuration { managementPlaneInfo { directorURL certificateSecuredConnectorURL } } }';

/**
 * Connects the runtime with the one-time token of its Secret, at the address that stands there too, and tells how that
 * went. There from the start, as in clusters whose Kyma comes from elsewhere; with Kyma 1 it comes and goes with its
 * component.
 */
export class RuntimeAgent {
  readonly #api: KubernetesApi;
  readonly #time: SimulatedTime;
  #isRunning = true;
  /** The token that was tried last: none is tried twice, unless nobody answered. */
  #tried = '';
  /** The one that is on its way to Director. */
  #underway = '';
  #isClosed = false;

  /** A token without an answer is tried again. */
  readonly state: KeptState = {
    save: () => ({ isRunning: this.#isRunning, tried: this.#underway ? '' : this.#tried }),
    restore: (saved) => {
      const { isRunning, tried } = saved as { isRunning: boolean; tried: string }; // as save has made it
      this.#isRunning = isRunning;
      this.#tried = tried;
    },
  };

  constructor(api: KubernetesApi, time: SimulatedTime) {
    this.#api = api;
    this.#time = time;
    const look = ({ metadata }: KubernetesObject) => {
      if (metadata.name === secretName) this.#connectLater();
    };
    api.hook(secretKind, { onCreate: look, onUpdate: look, onRestore: look });
  }

  /** Whoever sets the flag in its own resource gets fresh credentials. */
  get simulated(): SimulatedKind {
    return {
      kind: compassConnection,
      hooks: {
        onUpdate: (object, before) => {
          if (isAskedToRefresh(object) && !isAskedToRefresh(before)) this.#connectLater();
        },
      },
    };
  }

  install(): void {
    this.#isRunning = true;
    this.#connectLater();
  }

  remove(): void {
    this.#isRunning = false;
    this.#tried = '';
    undefine(this.#api, compassConnection);
  }

  /** The cluster is gone, or the landscape ends: nothing is tried any more, and all stays as it is. */
  close(): void {
    this.#isClosed = true;
  }

  #connectLater(after = attention): void {
    this.#time.after(after, () => void this.#look());
  }

  async #look(): Promise<void> {
    const secret = this.#api.list(secretKind).find(({ metadata }) => metadata.name === secretName);
    if (!this.#isRunning || this.#isClosed || !secret) return;
    const configuration = Configuration.safeParse(decoded(secret['data']));
    if (!configuration.success) {
      const missing = configuration.error.issues.map(({ path }) => path.join('.')).join(', ');
      this.#report('ConnectionFailed', { error: `${secretName}: ${missing}` });
      return;
    }
    const { CONNECTOR_URL: url, TOKEN: token } = configuration.data;
    if (token !== this.#tried) await this.#connect(url, token);
    else if (this.#underway === '') this.#renew();
  }

  async #connect(url: string, token: string): Promise<void> {
    this.#tried = token;
    this.#underway = token;
    const answer = await post(url, token);
    if (this.#isClosed) return;
    if (this.#underway === token) this.#underway = '';
    if (!this.#isRunning || this.#tried !== token) return;
    switch (answer.kind) {
      case 'accepted':
        this.#report('Synchronized', {}, answer.managementInfo);
        return;
      case 'refused':
        this.#report('ConnectionFailed', { error: 'Failed to retrieve certificate: refused' });
        return;
      case 'no answer':
        this.#tried = '';
        this.#report('ConnectionFailed', { error: 'Failed to retrieve certificate: no answer' });
        this.#connectLater(untilNextTry);
        return;
    }
  }

  /** With the credentials that it has. */
  #renew(): void {
    const live = this.#api.get(compassConnection, place);
    if (!live || !isAskedToRefresh(live)) return;
    this.#api.patch(compassConnection, place, {
      spec: { refreshCredentialsNow: null },
      status: { connectionStatus: { renewed: timestamp(this.#time.date()) } },
    });
  }

  #report(connectionState: string, connection: Fields, managementInfo: Fields = {}): void {
    define(this.#api, compassConnection);
    if (!this.#api.get(compassConnection, place))
      this.#api.create(compassConnection, { metadata: place, spec: { managementInfo: {} } });
    const lastSync = timestamp(this.#time.date());
    const { error = null } = connection;
    this.#api.patch(compassConnection, place, {
      spec: { refreshCredentialsNow: null, managementInfo },
      status: { connectionState, connectionStatus: { lastSync, error } },
    });
  }
}

const isAskedToRefresh = ({ spec }: KubernetesObject) =>
  valueAt(spec, ['refreshCredentialsNow']) === true;

function decoded(data: unknown): Fields {
  const entries = Object.entries(z.record(z.string(), z.string()).safeParse(data).data ?? {});
  return Object.fromEntries(
    entries.map(([key, value]) => [key, Buffer.from(value, 'base64').toString()]),
  );
}

type Answer =
  | { readonly kind: 'accepted'; readonly managementInfo: Fields }
  | { readonly kind: 'refused' }
  | { readonly kind: 'no answer' };

async function post(url: string, token: string): Promise<Answer> {
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'connector-token': token },
      body: JSON.stringify({ query: question }),
      signal: AbortSignal.timeout(seconds(30)),
    });
    if (response.status >= 500) return { kind: 'no answer' };
    const answer = Connected.safeParse(await response.json());
    if (!answer.success) return { kind: 'refused' };
    const { directorURL, certificateSecuredConnectorURL } =
      answer.data.data.result.managementPlaneInfo;
    const managementInfo = {
      directorUrl: directorURL,
      connectorUrl: certificateSecuredConnectorURL,
    };
    return { kind: 'accepted', managementInfo };
  } catch {
    return { kind: 'no answer' }; // whatever broke: it is tried again
  }
}
