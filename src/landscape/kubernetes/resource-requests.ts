import { seconds } from '#time';
import {
  bodyOf,
  deletionOf,
  headerOf,
  isTrue,
  writeOf,
  type ApiAnswer,
  type ApiRequest,
} from './api-request.ts';
import type { KindsServed } from './kinds-served.ts';
import type { Fields, KubernetesObject, Place } from './kubernetes-object.ts';
import { listPage } from './list-page.ts';
import { objectFrom } from './metadata-rules.ts';
import type { ObjectStore } from './object-store.ts';
import type { ObjectWriter } from './object-writer.ts';
import { patchObject } from './patch-request.ts';
import { presentationOf, type Presentation } from './presentation.ts';
import { inVersion, type ResourceKind } from './resource-kind.ts';
import type { ResourcePath } from './resource-path.ts';
import { fieldSelector, labelSelector, type Matches } from './selectors.ts';
import { badRequest, methodNotAllowed, notFound } from './status-error.ts';
import type { WatchRequest } from './watch.ts';

/** What an API server works with. */
export type Server = {
  readonly store: ObjectStore;
  readonly writer: ObjectWriter;
  readonly kinds: KindsServed;
  readonly now: () => Date;
};

type Target = ResourcePath & { readonly kind: ResourceKind };
type Act = (server: Server, request: ApiRequest, target: Target & Place) => ApiAnswer;

const onCollection: Readonly<Record<string, (...from: Parameters<Act>) => ApiAnswer>> = {
  GET: listOrWatch,
  POST: create,
  DELETE: deleteCollection,
};
const onObject: Readonly<Record<string, Act>> = {
  GET: get,
  PUT: replace,
  PATCH: patch,
  DELETE: remove,
};

/** Everything about objects; nothing if what the path names cannot exist here. */
export function resourceRequest(
  server: Server,
  request: ApiRequest,
  path: ResourcePath,
): ApiAnswer | undefined {
  const kind = server.kinds.find(path.group, path.version, path.plural);
  if (!kind || (path.namespace !== undefined && !kind.namespaced)) return undefined;
  const { name = '', subresource } = path;
  const isLost = path.name !== undefined && kind.namespaced && path.namespace === undefined;
  if (isLost) return undefined;
  const target = { ...path, kind, name };
  if (path.name === undefined) return run(onCollection[request.method], server, request, target);
  if (subresource === undefined) return run(onObject[request.method], server, request, target);
  if (subresource === 'status' && kind.hasStatus) {
    const act = request.method === 'DELETE' ? undefined : onObject[request.method];
    return run(act, server, request, target);
  }
  const special = server.kinds
    .hooksOf(kind)
    .find(({ subresources = {} }) => Object.hasOwn(subresources, subresource))?.subresources;
  const answer = special?.[subresource];
  if (!answer) return undefined;
  if (request.method !== 'POST') throw methodNotAllowed();
  const object = structuredClone(found(server, target));
  return json(201, answer(object, bodyOf(request)));
}

function run(act: Act | undefined, ...from: Parameters<Act>): ApiAnswer {
  if (!act) throw methodNotAllowed();
  return act(...from);
}

function listOrWatch(server: Server, request: ApiRequest, target: Target): ApiAnswer {
  const { kind, version } = target;
  const { query } = request;
  const matches = filterOf(query, target);
  const present = presentation(server, request, target);
  if (isTrue(query.get('watch'))) return watchAnswer(query, target, matches, present);
  const all = server.store.list(kind).filter(matches);
  const { objects, metadata } = listPage(server.store, all, query);
  const inThisVersion = objects.map((object) => inVersion(object, kind, version));
  return json(200, present.many(inThisVersion, metadata));
}

function watchAnswer(
  query: URLSearchParams,
  { kind, version }: Target,
  matches: Matches,
  present: Presentation,
): ApiAnswer {
  const since = query.get('resourceVersion') ?? '';
  if (!/^\d*$/.test(since)) throw badRequest(`Invalid value: "${since}": not a resource version`);
  const request: WatchRequest = {
    kind,
    version,
    matches,
    since: since === '' ? undefined : Number(since),
    wantsBookmarks: isTrue(query.get('allowWatchBookmarks')),
    wantsInitialEvents: isTrue(query.get('sendInitialEvents')),
    timeout: seconds(Math.min(Number(query.get('timeoutSeconds')) || 3_600, 86_400)),
    present: present.one,
  };
  return { form: 'watch', request };
}

function create(server: Server, request: ApiRequest, target: Target): ApiAnswer {
  const { kind, version, namespace } = target;
  if (kind.namespaced && namespace === undefined) throw methodNotAllowed();
  const object = objectFrom(bodyOf(request), kind, version, { namespace });
  return shown(201, server.writer.create(kind, namespace, object, writeOf(request)), target);
}

function get(server: Server, request: ApiRequest, target: Target & Place): ApiAnswer {
  const { kind, version, name, namespace } = target;
  const present = presentation(server, request, target);
  if (isTrue(request.query.get('watch'))) {
    const isIt: Matches = ({ metadata }) =>
      metadata.name === name && metadata.namespace === namespace;
    return watchAnswer(request.query, target, isIt, present);
  }
  return json(200, present.one(inVersion(found(server, target), kind, version)));
}

function replace(server: Server, request: ApiRequest, target: Target & Place): ApiAnswer {
  const { kind, version } = target;
  const object = objectFrom(bodyOf(request), kind, version, target);
  const write = writeOf(request, target);
  return shown(
    200,
    server.writer.update(kind, target, () => object, write),
    target,
  );
}

function patch(server: Server, request: ApiRequest, target: Target & Place): ApiAnswer {
  const { kind, version } = target;
  const { object, isNew } = patchObject(server.store, server.writer, {
    kind,
    version,
    place: target,
    contentType: headerOf(request, 'content-type'),
    body: request.body,
    query: request.query,
    write: writeOf(request, target),
  });
  return shown(isNew ? 201 : 200, object, target);
}

function remove(server: Server, request: ApiRequest, target: Target & Place): ApiAnswer {
  const { kind, name } = target;
  const { preconditions, write } = deletionOf(request);
  const { object, isGone } = server.writer.delete(kind, target, write, preconditions ?? {});
  if (!isGone) return shown(200, object, target);
  const { uid } = object.metadata;
  const details = { name, ...(kind.group && { group: kind.group }), kind: kind.plural, uid };
  return json(200, { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', details });
}

function deleteCollection(server: Server, request: ApiRequest, target: Target): ApiAnswer {
  const { kind, version, namespace } = target;
  if (kind.namespaced && namespace === undefined) throw methodNotAllowed();
  const { write } = deletionOf(request);
  const deleted = server.store
    .list(kind)
    .filter(filterOf(request.query, target))
    .filter(({ metadata }) => server.store.get(kind, metadata) !== undefined)
    .map(({ metadata }) => server.writer.delete(kind, metadata, write).object);
  const { many } = presentationOf(kind, version, {
    accept: '',
    includeObject: null,
    now: server.now(),
  });
  return json(200, many(deleted, { resourceVersion: `${server.store.version}` }));
}

function found({ store }: Server, target: Target & Place): KubernetesObject {
  const object = store.get(target.kind, target);
  if (!object) throw notFound(target.kind, target.name);
  return object;
}

function filterOf(query: URLSearchParams, { kind, namespace }: Target): Matches {
  const byLabel = labelSelector(query.get('labelSelector') ?? '');
  const byField = fieldSelector(query.get('fieldSelector') ?? '', kind);
  return (object) =>
    (namespace === undefined || object.metadata.namespace === namespace) &&
    byLabel(object) &&
    byField(object);
}

const presentation = ({ now }: Server, request: ApiRequest, { kind, version }: Target) =>
  presentationOf(kind, version, {
    accept: headerOf(request, 'accept') ?? '',
    includeObject: request.query.get('includeObject'),
    now: now(),
  });

const json = (status: number, body: Fields): ApiAnswer => ({ form: 'json', status, body });
const shown = (status: number, object: KubernetesObject, { kind, version }: Target) =>
  json(status, inVersion(object, kind, version));
