import type { KindsServed } from './kinds-served.ts';
import type { Fields } from './kubernetes-object.ts';
import { apiVersionOf, pathOfVersion, versionsOf, type ResourceKind } from './resource-kind.ts';

const verbs = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'];

/** What clients ask before anything else: which groups, versions and kinds are there. */
export function discovery(
  kinds: KindsServed,
  segments: readonly string[],
): Fields | string | undefined {
  const [root, group, version, ...rest] = segments;
  if (rest.length > 0) return undefined;
  switch (root) {
    case undefined:
      return { paths: ['/api', '/apis', '/openapi/v3', '/version', ...versionPaths(kinds)] };
    case 'version':
      return group === undefined ? versionInfo : undefined;
    case 'healthz':
    case 'livez':
    case 'readyz':
      return 'ok';
    case 'api':
      if (group === undefined) return { kind: 'APIVersions', versions: ['v1'], ...anyAddress };
      return version === undefined ? resources(kinds, '', group) : undefined;
    case 'apis':
      if (group === undefined) {
        const groups = groupsOf(kinds).map((each) => groupOf(kinds, each));
        return { kind: 'APIGroupList', apiVersion: 'v1', groups };
      }
      if (version !== undefined) return resources(kinds, group, version);
      if (!groupsOf(kinds).includes(group)) return undefined;
      return { kind: 'APIGroup', apiVersion: 'v1', ...groupOf(kinds, group) };
    default:
      return undefined;
  }
}

const versionInfo = {
  major: '1',
  minor: '30',
  gitVersion: 'v1.30.0+landscape',
  gitCommit: '',
  gitTreeState: 'clean',
  buildDate: '1970-01-01T00:00:00Z',
  goVersion: 'none',
  compiler: 'none',
  platform: 'linux/amd64',
};
const anyAddress = {
  serverAddressByClientCIDRs: [{ clientCIDR: '0.0.0.0/0', serverAddress: '' }],
};

const groupsOf = (kinds: KindsServed) =>
  [...new Set(kinds.all().map(({ group }) => group))].filter((group) => group !== '');

const servedVersions = (kinds: KindsServed, group: string) => [
  ...new Set(kinds.all().flatMap((kind) => (kind.group === group ? versionsOf(kind) : []))),
];

/** 'api/v1', 'apis/core.gardener.cloud/v1beta1', … */
export const versionPaths = (kinds: KindsServed): string[] =>
  ['', ...groupsOf(kinds)].flatMap((group) =>
    servedVersions(kinds, group).map((version) => pathOfVersion(group, version)),
  );

function groupOf(kinds: KindsServed, name: string): Fields {
  const versions = servedVersions(kinds, name).map((version) => ({
    groupVersion: `${name}/${version}`,
    version,
  }));
  return { name, versions, preferredVersion: versions[0] };
}

export const kindsOf = (kinds: KindsServed, group: string, version: string): ResourceKind[] =>
  kinds.all().filter((kind) => kind.group === group && versionsOf(kind).includes(version));

function resources(kinds: KindsServed, group: string, version: string): Fields | undefined {
  const served = kindsOf(kinds, group, version);
  if (served.length === 0) return undefined;
  return {
    kind: 'APIResourceList',
    apiVersion: 'v1',
    groupVersion: apiVersionOf({ group, version }),
    resources: served.flatMap((kind) => {
      const { plural, singular, namespaced, kind: name, shortNames } = kind;
      const special = kinds
        .hooksOf(kind)
        .flatMap(({ subresources = {} }) => Object.keys(subresources));
      const below = (part: string, verbs: readonly string[]) => ({
        name: `${plural}/${part}`,
        singularName: '',
        namespaced,
        kind: name,
        verbs,
      });
      return [
        {
          name: plural,
          singularName: singular,
          namespaced,
          kind: name,
          verbs,
          ...(shortNames && { shortNames }),
        },
        ...(kind.hasStatus ? [below('status', ['get', 'patch', 'update'])] : []),
        ...special.map((part) => below(part, ['create'])),
      ];
    }),
  };
}
