import { parse, stringify } from 'yaml';
import { z } from 'zod';
import type { Kubeconfig, OidcConfig } from '#clients';

const AdminKubeconfig = z.object({
  'current-context': z.string().min(1),
  clusters: z
    .array(
      z.object({
        cluster: z.object({
          server: z.string().min(1),
          'certificate-authority-data': z.string().optional(),
        }),
      }),
    )
    .min(1),
});

/** Leads to the cluster whoever can log in at the issuer: it holds no secret. Errors quote nothing from the admin's one. */
export function loginKubeconfig(
  admin: Kubeconfig,
  { issuerURL, clientID }: Pick<OidcConfig, 'issuerURL' | 'clientID'>,
): string {
  const read = AdminKubeconfig.safeParse(yaml(admin.reveal()));
  const cluster = read.data?.clusters[0]?.cluster;
  if (!read.success || !cluster) throw new Error('the kubeconfig of the cluster cannot be read');
  const { 'current-context': name } = read.data;
  return stringify({
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': name,
    clusters: [{ name, cluster }],
    contexts: [{ name, context: { cluster: name, user: name } }],
    users: [
      {
        name,
        user: {
          exec: {
            apiVersion: 'client.authentication.k8s.io/v1beta1',
            command: 'kubectl-oidc_login',
            args: [
              'get-token',
              `--oidc-issuer-url=${issuerURL}`,
              `--oidc-client-id=${clientID}`,
              '--oidc-extra-scope=email',
              '--oidc-extra-scope=openid',
            ],
            installHint:
              'kubectl needs the plugin oidc-login: https://github.com/int128/kubelogin#setup',
          },
        },
      },
    ],
  });
}

function yaml(text: string): unknown {
  try {
    return parse(text, { logLevel: 'error' });
  } catch {
    return undefined;
  }
}
