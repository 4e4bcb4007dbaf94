import { parse, stringify } from 'yaml';
import { z } from 'zod';
import { Kubeconfig } from '../provisioner/kubeconfig.ts';
import { SystemError } from '../system-error.ts';
import { system } from './cluster-connection.ts';

const AdminKubeconfig = z.object({
  'current-context': z.string(),
  contexts: z.array(z.object({ name: z.string(), context: z.object({ cluster: z.string() }) })),
  clusters: z.array(
    z.object({
      name: z.string(),
      cluster: z.object({
        server: z.url(),
        'certificate-authority-data': z.string().optional(),
        'insecure-skip-tls-verify': z.boolean().optional(),
      }),
    }),
  ),
});

/** Leads to the same cluster as the administrator's, with nothing else of his in it. */
export function tokenKubeconfig(
  admin: string,
  { name, token }: { readonly name: string; readonly token: string },
): { readonly kubeconfig: Kubeconfig; readonly server: string } {
  const cluster = clusterIn(admin);
  if (!cluster) {
    throw new SystemError(system, `${system}: the kubeconfig names no cluster that can be used`, {
      temporary: false,
      reason: 'invalid_kubeconfig',
    });
  }
  const text = stringify({
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': name,
    clusters: [{ name, cluster }],
    contexts: [{ name, context: { cluster: name, user: name } }],
    users: [{ name, user: { token } }],
  });
  return { kubeconfig: new Kubeconfig(text), server: cluster.server };
}

/** Undefined if there is none. The parser's own error quotes the text, and that holds credentials. */
function clusterIn(admin: string) {
  try {
    const read = AdminKubeconfig.parse(parse(admin, { logLevel: 'error' }));
    const current = read.contexts.find(({ name }) => name === read['current-context']);
    return read.clusters.find(({ name }) => name === current?.context.cluster)?.cluster;
  } catch {
    return undefined;
  }
}
