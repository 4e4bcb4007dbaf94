import { z } from 'zod';
import { CloudRefusal } from '../cloud-refusal.ts';
import type { Surroundings } from '../simulated-system.ts';
import { groupDocument, keysDocument, namespaceDocument } from './documents.ts';
import type { AzureResources, Group, Namespace } from './resources.ts';

const Wanted = z.object({
  location: z.string().regex(/^[A-Za-z0-9]+$/),
  tags: z.record(z.string(), z.string()).default({}),
});

export type Place = Readonly<Record<string, string>>;
export type Query = Readonly<Record<string, string | undefined>>;
export type Answer = { status: number; body?: object; headers?: Record<string, string> };
export type Route = {
  readonly method: string;
  /** Azure does not mind how a path is capitalized. */
  readonly path: RegExp;
  readonly api: string;
  readonly answer: (place: Place, request: { body: unknown; query: Query }) => Answer;
};

const pageSize = 20;
const api = { groups: '2019-05-01', eventHubs: '2017-04-01' };
const groupsPath = String.raw`^(?<subscription>[^/]+)/resourcegroups`;
const groupPath = String.raw`${groupsPath}/(?<group>[-\w.()]{1,90})`;
const namespacesPath = `${groupPath}/providers/Microsoft\\.EventHub/namespaces`;
const namespacePath = String.raw`${namespacesPath}/(?<name>[A-Za-z][-\w]{5,49})`;
const path = (pattern: string) => new RegExp(`${pattern}$`, 'i');

/** What Azure Resource Manager answers, below `/subscriptions/`. */
export function azureRoutes(
  resources: AzureResources,
  { time, url }: Surroundings,
): readonly Route[] {
  const namespaceOf = (group: Group, namespace: Namespace) =>
    namespaceDocument(group, namespace, resources.stateOf(namespace));
  // Callers wait in their own time, which passes slower than ours.
  const retryAfter = () => ({ 'retry-after': String(Math.ceil(15 / time.speed)) });
  const operationUrl = (subscription: string, kind: string, id: string, version: string) =>
    `${url()}/subscriptions/${subscription}/${kind}/${id}?api-version=${version}`;

  return [
    {
      method: 'GET',
      path: path(groupsPath),
      api: api.groups,
      answer({ subscription = '' }, { query }) {
        const from = Number(query['$skiptoken'] ?? 0);
        const found = resources
          .groups()
          .filter((group) => group.subscription.toLowerCase() === subscription.toLowerCase())
          .filter(filterOf(query['$filter']));
        const value = found.slice(from, from + pageSize).map(groupDocument);
        if (found.length <= from + pageSize) return { status: 200, body: { value } };
        const next = new URLSearchParams({
          'api-version': api.groups,
          ...(query['$filter'] !== undefined && { $filter: query['$filter'] }),
          $skiptoken: String(from + pageSize),
        });
        const nextLink = `${url()}/subscriptions/${subscription}/resourcegroups?${next.toString()}`;
        return { status: 200, body: { value, nextLink } };
      },
    },
    {
      method: 'PUT',
      path: path(groupPath),
      api: api.groups,
      answer({ subscription = '', group: name = '' }, { body }) {
        const done = resources.putGroup(subscription, name, wanted(body));
        const group = resources.group(subscription, name);
        return { status: done === 'created' ? 201 : 200, body: groupDocument(group) };
      },
    },
    {
      method: 'DELETE',
      path: path(groupPath),
      api: api.groups,
      answer({ subscription = '', group = '' }) {
        const { id } = resources.deleteGroup(subscription, group);
        const location = operationUrl(subscription, 'operationresults', id, api.groups);
        return { status: 202, headers: { location, ...retryAfter() } };
      },
    },
    {
      method: 'GET',
      path: path(namespacesPath),
      api: api.eventHubs,
      answer({ subscription = '', group: groupName = '' }) {
        const group = resources.group(subscription, groupName);
        const value = [...group.namespaces.values()].map((each) => namespaceOf(group, each));
        return { status: 200, body: { value } };
      },
    },
    {
      method: 'GET',
      path: path(namespacePath),
      api: api.eventHubs,
      answer({ subscription = '', group = '', name = '' }) {
        const namespace = resources.namespace(subscription, group, name);
        const body = namespaceOf(resources.group(subscription, group), namespace);
        return { status: 200, body };
      },
    },
    {
      // The three ways in which Azure answers a long-running put: with an operation, with a location and no body, and
      // with nothing but the resource.
      method: 'PUT',
      path: path(namespacePath),
      api: api.eventHubs,
      answer({ subscription = '', group: groupName = '', name = '' }, { body }) {
        const group = resources.group(subscription, groupName);
        const done = resources.putNamespace(group, name, wanted(body));
        const namespace = resources.namespace(subscription, groupName, name);
        const at = (kind: string) =>
          operationUrl(subscription, kind, namespace.creation.id, api.eventHubs);
        if (done === 'created') {
          const headers = { 'azure-asyncoperation': at('operations'), ...retryAfter() };
          return { status: 201, body: namespaceOf(group, namespace), headers };
        }
        if (resources.isDone(namespace.creation))
          return { status: 200, body: namespaceOf(group, namespace) };
        return { status: 202, headers: { location: at('operationresults'), ...retryAfter() } };
      },
    },
    {
      method: 'POST',
      path: path(`${namespacePath}/AuthorizationRules/RootManageSharedAccessKey/listKeys`),
      api: api.eventHubs,
      answer({ subscription = '', group = '', name = '' }) {
        const namespace = resources.namespace(subscription, group, name);
        if (!resources.isDone(namespace.creation))
          throw new CloudRefusal(409, 'Conflict', `${name} is being created`);
        return { status: 200, body: keysDocument(namespace) };
      },
    },
    ...[api.groups, api.eventHubs].flatMap((version): Route[] => [
      {
        method: 'GET',
        path: path('^[^/]+/operations/(?<id>[^/]+)'),
        api: version,
        answer({ id = '' }) {
          const isDone = resources.isDone(resources.operation(id));
          return isDone
            ? { status: 200, body: { name: id, status: 'Succeeded' } }
            : { status: 200, body: { name: id, status: 'InProgress' }, headers: retryAfter() };
        },
      },
      {
        method: 'GET',
        path: path('^[^/]+/operationresults/(?<id>[^/]+)'),
        api: version,
        answer({ id = '' }) {
          const isDone = resources.isDone(resources.operation(id));
          return isDone ? { status: 200 } : { status: 202, headers: retryAfter() };
        },
      },
    ]),
  ];
}

function wanted(body: unknown): z.infer<typeof Wanted> {
  const { data, error } = Wanted.safeParse(body);
  if (error) throw new CloudRefusal(400, 'InvalidRequestContent', z.prettifyError(error));
  return data;
}

function filterOf(filter: string | undefined): (group: Group) => boolean {
  if (filter === undefined) return () => true;
  const [, name = '', value = ''] =
    /^tagName eq '((?:[^']|'')+)' and tagValue eq '((?:[^']|'')+)'$/.exec(filter) ?? [];
  if (!name) throw new CloudRefusal(400, 'InvalidFilterInQueryString', `what is ${filter}?`);
  return ({ tags }) => tags[plain(name)] === plain(value);
}
const plain = (quoted: string) => quoted.replaceAll("''", "'");
