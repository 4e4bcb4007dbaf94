import type {
  HttpMethod,
  KubeConfig,
  RequestContext,
  ResponseContext,
} from '@kubernetes/client-node';
import { parse } from 'yaml';
import { z } from 'zod';
import { SystemError } from '../system-error.ts';

export type KubernetesAccess = {
  readonly newContext: (path: string, method: HttpMethod) => RequestContext;
  /** With the credentials of the kubeconfig. */
  readonly toServer: (context: RequestContext) => Promise<ResponseContext>;
};

/** Reads the kubeconfig when it is needed first: the library is big, and not every process talks to a cluster. */
export function kubernetesAccess(
  system: string,
  kubeconfig: string,
): () => Promise<KubernetesAccess> {
  let access: Promise<KubernetesAccess> | undefined;
  return () => (access ??= open(system, kubeconfig));
}

async function open(system: string, kubeconfig: string): Promise<KubernetesAccess> {
  const library = await import('@kubernetes/client-node');
  const config = new library.KubeConfig();
  const server = serverIn(config, kubeconfig);
  if (!server) {
    throw new SystemError(system, `${system}: the kubeconfig names no cluster that can be used`, {
      temporary: false,
      reason: 'invalid_kubeconfig',
    });
  }
  const http = new library.IsomorphicFetchHttpLibrary();
  let connections: ReturnType<RequestContext['getDispatcher']>;
  return {
    newContext: (path, method) => new library.RequestContext(server + path, method),
    async toServer(context) {
      await config.applySecurityAuthentication(context);
      // The library makes a pool of connections for every request: the first is kept, the others have opened nothing.
      connections ??= context.getDispatcher();
      if (connections) context.setDispatcher(connections);
      return http.send(context).toPromise();
    },
  };
}

/** Undefined if it cannot be used. The parser's own error is dropped: it quotes the text, and that holds credentials. */
function serverIn(config: KubeConfig, kubeconfig: string): string | undefined {
  try {
    const read = SafeKubeconfig.parse(parse(kubeconfig, { logLevel: 'error' }));
    config.loadFromString(JSON.stringify(read)); // which is YAML, too
    const cluster = config.getCurrentCluster();
    if (!cluster || !URL.canParse(cluster.server)) return undefined;
    // The library refuses to send credentials in the clear unless the kubeconfig says so.
    if (cluster.server.startsWith('http:') && !cluster.skipTLSVerify) return undefined;
    return cluster.server.replace(/\/+$/, '');
  } catch {
    return undefined;
  }
}

/** Kubeconfigs come from customers, too: no command is run for them, no file of ours is read, nobody stands between. */
const SafeKubeconfig = z.looseObject({
  users: z.array(
    z.looseObject({
      user: z.looseObject({
        exec: z.never().optional(),
        'auth-provider': z.never().optional(),
        'token-file': z.never().optional(),
        tokenFile: z.never().optional(),
        'client-certificate': z.never().optional(),
        'client-key': z.never().optional(),
      }),
    }),
  ),
  clusters: z.array(
    z.looseObject({
      cluster: z.looseObject({
        'certificate-authority': z.never().optional(),
        'proxy-url': z.never().optional(),
      }),
    }),
  ),
});
