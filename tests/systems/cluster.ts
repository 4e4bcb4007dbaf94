import { parse } from 'yaml';
import { z } from 'zod';
import { kubernetesConnection } from '#clients';
import type { Landscape } from '../../src/landscape/testing.ts';
import { signal, type Expectations } from './contract.ts';

const reasons: Readonly<Record<number, string>> = {
  400: 'BadRequest',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'NotFound',
  408: 'Timeout',
  409: 'Conflict',
  410: 'Expired',
  429: 'TooManyRequests',
  500: 'InternalError',
  503: 'ServiceUnavailable',
};

/** What every API server does: its reasons are ours, and a conflict is worth another try. */
export const apiServer = {
  on: { 409: { temporary: true }, 410: { temporary: true } },
  refusal(status: number) {
    const reason = reasons[status] ?? 'Unknown';
    const message = 'Secret "canary-kubernetes-echo" is not as it should be';
    const body = {
      kind: 'Status',
      apiVersion: 'v1',
      status: 'Failure',
      reason,
      code: status,
      message,
    };
    return { body: JSON.stringify(body), reason };
  },
} satisfies Expectations & Record<string, unknown>;

/** For what may be gone: nothing, and no error. */
export const mayBeMissing = { on: { 404: 'nothing' }, missing: 'nothing' } as const;
export const mayBeGone = { on: { 404: 'done' }, missing: 'done' } as const;

const Users = z.object({ users: z.array(z.object({ user: z.object({ token: z.string() }) })) });

/** Whoever has them is in. */
export const tokensIn = (kubeconfig: string): string[] =>
  Users.parse(parse(kubeconfig)).users.map(({ user }) => user.token);

/** As the simulated cluster gives it away. */
export const kubeconfigOf =
  (system: string) =>
  async ({ url }: Landscape): Promise<string> =>
    (await fetch(`${url}/${system}/kubeconfig`)).text();

const Groups = z.object({
  groups: z.array(z.object({ preferredVersion: z.object({ groupVersion: z.string() }) })),
});
const Resources = z.object({ resources: z.array(z.object({ name: z.string() })) });

/** 'secrets', 'shoots.core.gardener.cloud', …: what the cluster says it has. */
export async function kindsOf(kubeconfig: string): Promise<string[]> {
  const cluster = kubernetesConnection('test', { kubeconfig });
  const get = <Answer>(path: string, answer: z.ZodType<Answer>) =>
    cluster.request({ method: 'GET', path, answer, what: `get ${path}`, signal });
  const { groups } = await get('/apis', Groups);
  const paths = ['/api/v1', ...groups.map((each) => `/apis/${each.preferredVersion.groupVersion}`)];
  const kinds = paths.map(async (path) =>
    (await get(path, Resources)).resources
      .filter(({ name }) => !name.includes('/'))
      .map(({ name }) => qualified(name, path)),
  );
  return (await Promise.all(kinds)).flat();
}

/** The kind that a path of a cluster is about; undefined for '/version' and the like. */
export function kindIn(path: string): string | undefined {
  const [, api, rest = ''] =
    /^(\/api\/v1|\/apis\/[^/]+\/[^/]+)\/(?:namespaces\/[^/]+\/(?=[^/]))?(.*)$/.exec(path) ?? [];
  const [plural] = rest.split('/');
  return api && plural ? qualified(plural, api) : undefined;
}

const qualified = (plural: string, api: string) => {
  const [, , group] = api.split('/');
  return api.startsWith('/apis/') ? `${plural}.${group}` : plural;
};
