import { request } from 'node:https';
import { parse } from 'yaml';
import { z } from 'zod';
import { seconds } from '#time';

const Kubeconfig = z.object({
  clusters: z.tuple(
    [
      z.object({
        cluster: z.object({ server: z.url(), 'certificate-authority-data': z.string() }),
      }),
    ],
    z.unknown(),
  ),
  users: z.tuple([z.object({ user: z.object({ token: z.string() }) })], z.unknown()),
});

/**
 * What a system that is given a kubeconfig does with it first: it asks the cluster something. Undefined for clusters that
 * are not in this landscape: nobody can tell.
 */
export async function opensCluster(text: string, host: string): Promise<boolean | undefined> {
  const read = Kubeconfig.safeParse(yamlOf(text));
  if (!read.success) return undefined;
  const { server, 'certificate-authority-data': authority } = read.data.clusters[0].cluster;
  if (new URL(server).host !== host) return undefined;
  const { promise, resolve } = Promise.withResolvers<boolean>();
  request(`${server}/api/v1/namespaces?limit=1`, {
    ca: Buffer.from(authority, 'base64'),
    headers: {
      authorization: `Bearer ${read.data.users[0].user.token}`,
      'user-agent': 'reconciler',
    },
    timeout: seconds(5),
  })
    .on('response', (response) => {
      response.resume();
      resolve(response.statusCode === 200);
    })
    .on('timeout', () => resolve(false))
    .on('error', () => resolve(false)) // a cluster that is gone breaks the connection
    .end();
  return promise;
}

function yamlOf(text: string): unknown {
  try {
    return parse(text, { logLevel: 'error' });
  } catch {
    return undefined;
  }
}
