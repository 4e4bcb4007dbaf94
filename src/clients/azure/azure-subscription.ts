import { z } from 'zod';
import type { Milliseconds } from '#time';
import { httpClient, type HttpRequest, type SystemSettings } from '../http-client.ts';
import { SystemError } from '../system-error.ts';
import { classify } from './azure-error.ts';
import { azureToken, type AzureCredentials } from './azure-token.ts';
import {
  OperationStatus,
  pollOf,
  progressOf,
  ResourceStatus,
  retryAfterOf,
  type AzurePoll,
  type AzureProgress,
} from './long-running.ts';

/** One customer's part of Azure: resource groups, and Event Hubs namespaces in them. Every put may be repeated. */
export type AzureSubscription = {
  readonly putGroup: (group: AzureResource, signal: AbortSignal) => Promise<AzureGroup>;
  readonly findGroups: (tag: AzureTag, signal: AbortSignal) => Promise<readonly AzureGroup[]>;
  readonly allGroups: (signal: AbortSignal) => Promise<readonly AzureGroup[]>;
  /** With all that is in it. Whether it is gone, `findGroups` tells; one that was gone before counts as deleted. */
  readonly deleteGroup: (name: string, signal: AbortSignal) => Promise<AzureDeletion>;
  readonly putNamespace: (
    group: string,
    namespace: AzureResource,
    signal: AbortSignal,
  ) => Promise<AzureProgress>;
  /** How far the work is that a put or delete has begun. */
  readonly progress: (poll: AzurePoll, signal: AbortSignal) => Promise<AzureProgress>;
  /** A credential; undefined while Azure does not give it out yet. */
  readonly connectionString: (
    group: string,
    namespace: string,
    signal: AbortSignal,
  ) => Promise<string | undefined>;
};

export type AzureResource = {
  readonly name: string;
  readonly location: string;
  readonly tags: Readonly<Record<string, string>>;
};
/** `state` is Azure's provisioning state, 'Succeeded' or 'Deleting' as a rule; undefined if it gave none. */
export type AzureGroup = AzureResource & { readonly state: string | undefined };
export type AzureDeletion =
  { readonly kind: 'deleted' } | { readonly kind: 'running'; readonly retryAfter: Milliseconds };
export type AzureTag = { readonly name: string; readonly value: string };

const Group = z
  .object({
    name: z.string().min(1),
    location: z.string(),
    tags: z.record(z.string(), z.string()).nullish(),
    properties: z.object({ provisioningState: z.string().nullish() }).nullish(),
  })
  .transform(({ name, location, tags, properties }) => ({
    name,
    location,
    tags: tags ?? {},
    state: properties?.provisioningState ?? undefined,
  }));
const Groups = z.object({ value: z.array(Group), nextLink: z.string().nullish() });
const Keys = z.object({ primaryConnectionString: z.string().nullish() });

const groupsApi = { 'api-version': '2019-05-01' };
const eventHubsApi = { 'api-version': '2017-04-01' };
const headers = { 'user-agent': 'kyma-environment-broker' };

export function azureSubscription(
  management: SystemSettings,
  login: SystemSettings,
  credentials: AzureCredentials,
): AzureSubscription {
  const http = httpClient('azure', management, azureToken(login, credentials));
  const subscription = `/subscriptions/${encodeURIComponent(credentials.subscriptionId)}`;
  const groupPath = (name: string) => `${subscription}/resourcegroups/${encodeURIComponent(name)}`;
  const namespacePath = (group: string, name: string) =>
    `${subscription}/resourceGroups/${encodeURIComponent(group)}` +
    `/providers/Microsoft.EventHub/namespaces/${encodeURIComponent(name)}`;

  const ask = <Answer = undefined>(request: HttpRequest<Answer>) =>
    http.request({ headers, classify, ...request, path: ours(request.path, management.url) });

  async function listGroups(filter: Record<string, string>, signal: AbortSignal) {
    const groups: AzureGroup[] = [];
    const first = withQuery(`${subscription}/resourcegroups`, { ...groupsApi, ...filter });
    for (let path: string | undefined = first; path;) {
      const { body }: { body: z.infer<typeof Groups> } = await ask({
        method: 'GET',
        path,
        expect: [200],
        answer: Groups,
        what: 'list resource groups',
        signal,
      });
      groups.push(...body.value);
      path = body.nextLink ?? undefined;
    }
    return groups;
  }

  async function progress(poll: AzurePoll, signal: AbortSignal): Promise<AzureProgress> {
    const what = 'get the progress of an operation';
    const get = { method: 'GET', path: poll.url, what, signal } as const;
    switch (poll.kind) {
      case 'operation': {
        const { body, headers } = await ask({
          ...get,
          expect: [200, 202],
          answer: OperationStatus,
        });
        return progressOf(body.status, headers, poll, body.error?.code);
      }
      case 'location': {
        const { status, headers } = await ask({ ...get, expect: [200, 201, 202, 204] });
        const state = status === 202 ? 'InProgress' : 'Succeeded';
        return progressOf(state, headers, pollOf(headers) ?? poll);
      }
      case 'resource': {
        const { body, headers } = await ask({
          ...get,
          expect: [200],
          answer: ResourceStatus,
        });
        return progressOf(body.properties.provisioningState, headers, poll);
      }
    }
  }

  return {
    async putGroup({ name, location, tags }, signal) {
      const { body } = await ask({
        method: 'PUT',
        path: groupPath(name),
        query: groupsApi,
        body: { location, tags },
        expect: [200, 201],
        answer: Group,
        what: `create resource group ${name}`,
        signal,
      });
      return body;
    },
    findGroups: ({ name, value }, signal) =>
      listGroups(
        { $filter: `tagName eq ${quoted(name)} and tagValue eq ${quoted(value)}` },
        signal,
      ),
    allGroups: (signal) => listGroups({}, signal),
    async deleteGroup(name, signal) {
      const { status, headers } = await ask({
        method: 'DELETE',
        path: groupPath(name),
        query: groupsApi,
        expect: [200, 202, 204, 404],
        what: `delete resource group ${name}`,
        signal,
      });
      return status === 202
        ? { kind: 'running', retryAfter: retryAfterOf(headers) }
        : { kind: 'deleted' };
    },
    async putNamespace(group, { name, location, tags }, signal) {
      const path = namespacePath(group, name);
      const { headers } = await ask({
        method: 'PUT',
        path,
        query: eventHubsApi,
        body: { location, tags },
        expect: [200, 201, 202],
        what: `create Event Hubs namespace ${name}`,
        signal,
      });
      // An answer that names an operation need not have a body; one that names none says no more than the resource.
      const next = pollOf(headers);
      if (next) return progressOf('InProgress', headers, next);
      return progress({ kind: 'resource', url: withQuery(path, eventHubsApi) }, signal);
    },
    progress,
    async connectionString(group, namespace, signal) {
      const { body } = await ask({
        method: 'POST',
        path: `${namespacePath(group, namespace)}/AuthorizationRules/RootManageSharedAccessKey/listKeys`,
        query: eventHubsApi,
        expect: [200],
        answer: Keys,
        what: `get the keys of Event Hubs namespace ${namespace}`,
        signal,
      });
      return body.primaryConnectionString || undefined;
    },
  };
}

/** In a filter a quote is doubled. */
const quoted = (text: string) => `'${text.replaceAll("'", "''")}'`;

const withQuery = (path: string, query: Record<string, string>) =>
  `${path}?${new URLSearchParams(query).toString()}`;

/** The token is sent along, so a URL that an answer names must be Azure's own. */
function ours(path: string, base: string): string {
  if (path.startsWith('/') || URL.parse(path)?.origin === new URL(base).origin) return path;
  throw new SystemError('azure', 'azure: cannot follow a URL that is not of Azure', {
    temporary: false,
    reason: 'foreign_url',
  });
}
