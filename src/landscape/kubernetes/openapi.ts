import { kindsOf, versionPaths } from './discovery.ts';
import type { KindsServed } from './kinds-served.ts';
import type { Fields } from './kubernetes-object.ts';
import { groupVersionKind, pathOfVersion, versionsOf, type ResourceKind } from './resource-kind.ts';

const info = { title: 'Kubernetes', version: 'v1.30.0' };

/**
 * Just so much that kubectl finds each kind, sees that the server checks fields itself, and checks nothing on its own:
 * every kind is an object of unknown fields.
 */
export function openapi(kinds: KindsServed, segments: readonly string[]): Fields | undefined {
  const [edition, root, ...rest] = segments;
  if (edition === 'v2' && root === undefined) return swagger(kinds);
  if (edition !== 'v3') return undefined;
  if (root === undefined) {
    const paths = versionPaths(kinds).map(
      (path) => [path, { serverRelativeURL: `/openapi/v3/${path}?hash=0` }] as const,
    );
    return { paths: Object.fromEntries(paths) };
  }
  const [group = '', version = ''] = root === 'api' ? ['', ...rest] : rest;
  const served = kindsOf(kinds, group, version);
  if (served.length === 0) return undefined;
  return {
    openapi: '3.0.0',
    info,
    paths: Object.assign({}, ...served.map((kind) => pathsOf(kind, version))) as Fields,
    components: { schemas: Object.fromEntries(served.map((kind) => schemaOf(kind, version))) },
  };
}

const swagger = (kinds: KindsServed): Fields => ({
  swagger: '2.0',
  info,
  paths: {},
  definitions: Object.fromEntries(
    kinds.all().flatMap((kind) => versionsOf(kind).map((version) => schemaOf(kind, version))),
  ),
});

/** kubectl reads OpenAPI 2 as protocol buffers alone. This is a document that says `swagger: "2.0"` and nothing else. */
export const emptySwaggerMessage = Buffer.from([0x0a, 0x03, ...Buffer.from('2.0')]);

const parameters = ['dryRun', 'fieldManager', 'fieldValidation', 'force'].map((name) => ({
  name,
  in: 'query',
  schema: { type: name === 'force' ? 'boolean' : 'string', uniqueItems: true },
}));
const answers = { responses: { 200: { description: 'OK' } } };

function pathsOf(kind: ResourceKind, version: string): Fields {
  const base = `/${pathOfVersion(kind.group, version)}/${kind.namespaced ? 'namespaces/{namespace}/' : ''}${kind.plural}`;
  const operation = (action: string) => ({
    ...answers,
    'x-kubernetes-action': action,
    'x-kubernetes-group-version-kind': groupVersionKind(kind, version),
  });
  const patchTypes = ['json-patch+json', 'merge-patch+json', 'apply-patch+yaml'];
  const content = Object.fromEntries(patchTypes.map((type) => [`application/${type}`, {}]));
  return {
    [base]: { get: operation('list'), post: { ...operation('post'), parameters } },
    [`${base}/{name}`]: {
      get: operation('get'),
      put: { ...operation('put'), parameters },
      patch: { ...operation('patch'), parameters, requestBody: { content } },
      delete: operation('delete'),
    },
  };
}

const schemaOf = (kind: ResourceKind, version: string): [string, Fields] => [
  [...(kind.group || 'core').split('.').toReversed(), version, kind.kind].join('.'),
  {
    type: 'object',
    'x-kubernetes-preserve-unknown-fields': true,
    'x-kubernetes-group-version-kind': [groupVersionKind(kind, version)],
  },
];
