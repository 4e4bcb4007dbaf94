// For tests: API servers in this process, and how to talk to them over HTTP. Not exported by the door of the module.
import { startLandscape } from '../landscape.ts';
import * as kinds from './kinds.ts';
import { KubernetesApi, type KubernetesApiOptions } from './kubernetes-api.ts';
import type { Fields } from './kubernetes-object.ts';

export { KubernetesApi, type KubernetesApiOptions } from './kubernetes-api.ts';
export { type Fields, type KubernetesObject } from './kubernetes-object.ts';
export { serveKubernetes } from './serve-kubernetes.ts';
export { forbidden, StatusError } from './status-error.ts';
export * as kinds from './kinds.ts';

export const allKinds = [
  ...kinds.coreKinds,
  ...kinds.rbacKinds,
  ...kinds.gardenerKinds,
  ...kinds.btpKinds,
  kinds.kyma,
];

/** One API server with every kind and the namespace `garden-demo`, below a prefix as in the landscape. */
export async function startKubernetes(options: Partial<KubernetesApiOptions> = {}) {
  let api: KubernetesApi | undefined;
  const landscape = await startLandscape({
    systems: [
      ({ time }) => {
        const made = new KubernetesApi({
          kinds: allKinds,
          namespaces: ['garden-demo'],
          now: () => time.date(),
          ...options,
        });
        api = made;
        return {
          name: 'kubernetes',
          serve: (app) => made.serve(app),
          inventory: () => made.inventory(),
        };
      },
    ],
  });
  if (!api) throw new Error('the landscape has made no system');
  const url = `${landscape.url}/kubernetes`;
  return {
    api,
    url,
    landscape,
    time: landscape.time,
    call: caller(url),
    watch: (path: string, accept?: string) => openWatch(url + path, accept),
    [Symbol.asyncDispose]: () => landscape[Symbol.asyncDispose](),
  };
}

/** Sends JSON, unless the content type says otherwise, and reads JSON or text. */
export const caller =
  (url: string) =>
  // oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- shorter than a cast at each call
  async <Body = Fields>(
    method: string,
    path: string,
    body?: unknown,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<{ status: number; body: Body }> => {
    const response = await fetch(url + path, {
      method,
      headers: { 'content-type': 'application/json', 'user-agent': 'test/1.0', ...headers },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const isJson = response.headers.get('content-type')?.startsWith('application/json');
    const answer: unknown = isJson ? await response.json() : await response.text();
    return { status: response.status, body: answer as Body }; // the test asserts what it is
  };

type SeenEvent = { type: string; object: Fields & { metadata: Fields } };

/** A watch whose events are taken one by one, once it is known to have begun. */
export async function openWatch(url: string, accept = 'application/json') {
  const aborted = new AbortController();
  const response = await fetch(url, { headers: { accept }, signal: aborted.signal });
  if (!response.body) throw new Error('a watch has a body');
  const lines = linesOf(response.body);
  return {
    status: response.status,
    async next(): Promise<SeenEvent> {
      const { value, done } = await lines.next();
      if (done) throw new Error('the watch has ended');
      return JSON.parse(value) as SeenEvent; // the test asserts what it is
    },
    /** What comes until the server ends it. */
    async rest(): Promise<SeenEvent[]> {
      const events: SeenEvent[] = [];
      for await (const line of lines) events.push(JSON.parse(line) as SeenEvent);
      return events;
    },
    cancel: () => aborted.abort(),
    async [Symbol.asyncDispose]() {
      aborted.abort();
    },
  };
}

async function* linesOf(body: ReadableStream<Uint8Array>): AsyncGenerator<string, undefined> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const bytes of body) {
    text += decoder.decode(bytes, { stream: true });
    const lines = text.split('\n');
    text = lines.pop() ?? '';
    yield* lines;
  }
  return undefined;
}
