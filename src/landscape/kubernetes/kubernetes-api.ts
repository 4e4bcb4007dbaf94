import type { FastifyInstance } from 'fastify';
import type { KeptState } from '../kept-state.ts';
import { headerOf, type ApiAnswer, type ApiRequest } from './api-request.ts';
import { discovery } from './discovery.ts';
import { KindsServed, type KindHooks } from './kinds-served.ts';
import { namespace as namespaceKind } from './kinds.ts';
import type { Fields, KubernetesObject, NewObject, Place } from './kubernetes-object.ts';
import { mergePatch } from './merge-patch.ts';
import { ObjectStore } from './object-store.ts';
import { ObjectWriter, type Write } from './object-writer.ts';
import { emptySwaggerMessage, openapi } from './openapi.ts';
import { isNamespace, qualifiedName, type ResourceKind } from './resource-kind.ts';
import { resourcePath } from './resource-path.ts';
import { resourceRequest } from './resource-requests.ts';
import { labelSelector } from './selectors.ts';
import { serveKubernetes } from './serve-kubernetes.ts';
import { StatusError, unauthorized, withoutRights } from './status-error.ts';
import { watch, type WatchEvent, type WatchRequest } from './watch.ts';

export type KubernetesApiOptions = {
  readonly kinds: readonly ResourceKind[];
  /** There from the start, besides default and kube-system. */
  readonly namespaces?: readonly string[];
  readonly now?: () => Date;
  /** Without it, everybody may do everything. */
  readonly acceptsToken?: AcceptsToken;
  /** So many events can be watched from in the past. */
  readonly historySize?: number;
};

/** Whoever is known may do everything, or nothing. */
type AcceptsToken = (token: string) => boolean | 'without rights';

/** The simulated systems write as this field manager. */
const system: Write = { manager: 'landscape', isSystem: true };
const openToAll = new Set(['version', 'healthz', 'livez', 'readyz']);

/**
 * One Kubernetes API server with its objects. Callers come over HTTP (`serve`, or `serveKubernetes` for many); simulators
 * and tests use the methods below, which follow the same rules but for admission, and may write status directly.
 */
export class KubernetesApi {
  readonly #kinds = new KindsServed();
  readonly #store: ObjectStore;
  readonly #writer: ObjectWriter;
  readonly #now: () => Date;
  readonly #acceptsToken: AcceptsToken | undefined;
  readonly #endings = new Set<() => void>();

  constructor(options: KubernetesApiOptions) {
    const { kinds, namespaces = [], now = () => new Date(), historySize = 1_000 } = options;
    this.#now = now;
    this.#acceptsToken = options.acceptsToken;
    this.#store = new ObjectStore(historySize);
    this.#writer = new ObjectWriter(this.#store, this.#kinds, now);
    this.#kinds.add(namespaceKind);
    for (const kind of kinds) if (!isNamespace(kind)) this.#kinds.add(kind);
    for (const name of new Set(['default', 'kube-system', ...namespaces])) {
      this.create(namespaceKind, { metadata: { name } });
    }
  }

  /** Mounts it: everything below the scope's prefix, or below `path` in there. */
  serve(app: FastifyInstance, path = ''): void {
    serveKubernetes(app, path, () => this);
    app.addHook('preClose', async () => this.close());
  }

  hook(kind: ResourceKind, hooks: KindHooks): void {
    this.#kinds.hook(kind, hooks);
  }

  /** As if its CustomResourceDefinition were created. */
  addKind(kind: ResourceKind): void {
    this.#kinds.add(kind);
  }

  /** As if its CustomResourceDefinition were deleted: its objects go with it, whatever finalizers they have. */
  removeKind(kind: ResourceKind): void {
    for (const object of this.#store.list(kind)) this.#store.remove(kind, object);
    this.#kinds.remove(kind);
  }

  get(kind: ResourceKind, place: Place): KubernetesObject | undefined {
    return structuredClone(this.#store.get(kind, place));
  }

  list(
    kind: ResourceKind,
    filter: { readonly namespace?: string; readonly labelSelector?: string } = {},
  ): KubernetesObject[] {
    const hasLabels = labelSelector(filter.labelSelector ?? '');
    const isWithin = ({ metadata }: KubernetesObject) =>
      filter.namespace === undefined || metadata.namespace === filter.namespace;
    return structuredClone(
      this.#store.list(kind).filter((object) => isWithin(object) && hasLabels(object)),
    );
  }

  create(kind: ResourceKind, object: NewObject): KubernetesObject {
    const body = { ...object, metadata: { ...object.metadata } };
    return structuredClone(this.#writer.create(kind, object.metadata.namespace, body, system));
  }

  /** Everything in it counts, status included. Fails on a version that is not the present one; none always fits. */
  update(kind: ResourceKind, object: NewObject & { readonly metadata: Place }): KubernetesObject {
    const body = { ...object, metadata: { ...object.metadata } };
    return structuredClone(this.#writer.update(kind, object.metadata, () => body, system));
  }

  /** A merge patch, also of the status. */
  patch(kind: ResourceKind, place: Place, patch: Fields): KubernetesObject {
    const change = (live: KubernetesObject) => mergePatch(live, patch) as KubernetesObject; // of an object it makes one
    return structuredClone(this.#writer.update(kind, place, change, system));
  }

  /** Whether it is gone at once: finalizers may hold it. What is not there is gone. */
  delete(kind: ResourceKind, place: Place): boolean {
    if (!this.#store.get(kind, place)) return true;
    this.#writer.delete(kind, place, system);
    return this.#store.get(kind, place) === undefined;
  }

  /** Older versions can no longer be watched from, as after a compaction. */
  forgetHistory(): void {
    this.#store.forgetHistory();
  }

  /** By plural name, the kinds that have objects. No content: that is where credentials are. */
  inventory(): Record<string, readonly unknown[]> {
    const entries = this.#kinds.all().map(
      (kind) =>
        [
          qualifiedName(kind),
          this.#store.list(kind).map(({ metadata }) => ({
            ...(metadata.namespace !== undefined && { namespace: metadata.namespace }),
            name: metadata.name,
            ...(metadata.labels && { labels: { ...metadata.labels } }),
            ...(metadata.deletionTimestamp && { isBeingDeleted: true }),
            ...this.askedBy(metadata),
          })),
        ] as const,
    );
    return Object.fromEntries(entries.filter(([, objects]) => objects.length > 0));
  }

  /** Who asked for an object that is there, by its identity. Nobody, if its system made it by itself. */
  askedBy({ uid }: { readonly uid: string }): { readonly askedBy?: string } {
    const askedBy = this.#store.askedBy(uid);
    return askedBy === undefined ? {} : { askedBy };
  }

  readonly state: KeptState = {
    save: () => this.#store.state.save(),
    restore: (saved) => {
      this.#store.state.restore(saved);
      this.#kinds.tellRestored((kind) => this.#store.list(kind));
    },
  };

  /** Ends all watches: the server goes away. */
  close(): void {
    for (const end of this.#endings) end();
  }

  /** The answer to a request. A refusal is an answer, too. */
  answer(request: ApiRequest): ApiAnswer {
    try {
      return this.#route(request) ?? pageNotFound;
    } catch (error) {
      if (!(error instanceof StatusError)) throw error;
      return { form: 'json', status: error.code, body: error.body };
    }
  }

  /** Runs a watch that was answered; `end` is called when its time is over or the server closes. */
  watch(request: WatchRequest, send: (event: WatchEvent) => void, end: () => void): () => void {
    let stop = () => {};
    const finish = () => {
      this.#endings.delete(finish);
      stop();
      end();
    };
    this.#endings.add(finish);
    stop = watch(this.#store, request, send, finish);
    return () => {
      this.#endings.delete(finish);
      stop();
    };
  }

  #route(request: ApiRequest): ApiAnswer | undefined {
    const segments = request.path.split('/').filter((segment) => segment !== '');
    this.#authenticate(request, segments[0]);
    const kinds = this.#kinds;
    const path = resourcePath(segments);
    if (path) {
      return resourceRequest(
        { store: this.#store, writer: this.#writer, kinds, now: this.#now },
        request,
        path,
      );
    }
    if (segments[0] === 'openapi' && segments[1] === 'v2' && wantsProtocolBuffers(request)) {
      const type = 'application/com.github.proto-openapi.spec.v2@v1.0+protobuf';
      return { form: 'bytes', status: 200, type, body: emptySwaggerMessage };
    }
    const document =
      segments[0] === 'openapi' ? openapi(kinds, segments.slice(1)) : discovery(kinds, segments);
    if (document === undefined) return undefined;
    return typeof document === 'string'
      ? { form: 'bytes', status: 200, type: 'text/plain', body: document }
      : { form: 'json', status: 200, body: document };
  }

  #authenticate(request: ApiRequest, first: string | undefined): void {
    if (!this.#acceptsToken || (first !== undefined && openToAll.has(first))) return;
    const [type, token] = (headerOf(request, 'authorization') ?? '').split(' ');
    if (type?.toLowerCase() !== 'bearer' || !token) throw unauthorized();
    const accepted = this.#acceptsToken(token);
    if (!accepted) throw unauthorized();
    if (accepted === 'without rights') throw withoutRights(request.path);
  }
}

const wantsProtocolBuffers = (request: ApiRequest) =>
  headerOf(request, 'accept')?.includes('protobuf') === true;

/** For a kind or path that is not served at all. Not a Status: that is how clients tell it from a missing object. */
const pageNotFound: ApiAnswer = {
  form: 'bytes',
  status: 404,
  type: 'text/plain; charset=utf-8',
  body: '404 page not found\n',
};
