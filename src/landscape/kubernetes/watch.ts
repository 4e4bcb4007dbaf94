import { seconds, type Milliseconds } from '#time';
import { inVersion, qualifiedName, type ResourceKind } from './resource-kind.ts';
import type { Fields, KubernetesObject } from './kubernetes-object.ts';
import type { ObjectStore, StoreEvent } from './object-store.ts';
import type { Matches } from './selectors.ts';
import { expired } from './status-error.ts';

export type WatchEvent = {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK' | 'ERROR';
  readonly object: Fields;
};

export type WatchRequest = {
  readonly kind: ResourceKind;
  readonly version: string;
  readonly matches: Matches;
  /** Without it, or from 0, the watch begins with what there is. */
  readonly since: number | undefined;
  readonly wantsBookmarks: boolean;
  /** Begin with what there is even so, and say where it ends. */
  readonly wantsInitialEvents: boolean;
  readonly timeout: Milliseconds;
  /** The shape in which objects are sent. */
  readonly present: (object: KubernetesObject) => Fields;
};

const bookmarkEvery = seconds(60);

/** Sends what happens until the time is over or the returned function is called. Times are real ones. */
export function watch(
  store: ObjectStore,
  request: WatchRequest,
  send: (event: WatchEvent) => void,
  end: () => void,
): () => void {
  const { kind, version, matches, since, present } = request;
  const name = qualifiedName(kind);
  const objectEvent = (type: WatchEvent['type'], object: KubernetesObject) =>
    send({ type, object: present(inVersion(object, kind, version)) });
  const tell = (event: StoreEvent) => {
    if (event.kind !== name) return;
    const type = typeFor(event, matches);
    if (type) objectEvent(type, event.object);
  };
  const bookmark = (annotations?: Fields) =>
    send({ type: 'BOOKMARK', object: bookmarkOf(request, store.version, annotations) });

  const isFromStart = since === undefined || since === 0 || request.wantsInitialEvents;
  const missed = isFromStart ? [] : store.eventsAfter(since);
  if (!missed) {
    const message = `too old resource version: ${since} (${store.version})`;
    send({ type: 'ERROR', object: expired(message).body });
    end();
    return () => {};
  }
  if (isFromStart) {
    for (const object of store.list(kind)) if (matches(object)) objectEvent('ADDED', object);
    if (request.wantsInitialEvents) bookmark({ 'k8s.io/initial-events-end': 'true' });
  }
  for (const event of missed) tell(event);

  const stopListening = store.listen(tell);
  const ticking = request.wantsBookmarks ? setInterval(bookmark, bookmarkEvery) : undefined;
  const stop = () => {
    clearTimeout(ending);
    clearInterval(ticking);
    stopListening();
  };
  const ending = setTimeout(() => {
    if (request.wantsBookmarks) bookmark();
    stop();
    end();
  }, request.timeout);
  return stop;
}

/** What comes to match is new to this watcher, and what ceases to match is gone. */
function typeFor({ type, object, before }: StoreEvent, matches: Matches) {
  const matched = before !== undefined && matches(before);
  if (type === 'DELETED') return matched ? type : undefined;
  if (matches(object)) return matched ? 'MODIFIED' : 'ADDED';
  return matched ? 'DELETED' : undefined;
}

function bookmarkOf(
  { kind, version, present }: WatchRequest,
  resourceVersion: number,
  annotations?: Fields,
): Fields {
  const metadata = {
    resourceVersion: `${resourceVersion}`,
    creationTimestamp: null,
    ...(annotations && { annotations }),
  };
  // Nothing but a version: the real one sends an object without a name, too.
  const empty = { apiVersion: '', kind: kind.kind, metadata } as unknown as KubernetesObject;
  return present(inVersion(empty, kind, version));
}
