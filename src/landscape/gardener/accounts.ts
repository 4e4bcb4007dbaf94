import type { KubernetesApi } from '../kubernetes/kubernetes-api.ts';
import { secret, secretBinding } from '../kubernetes/kinds.ts';

/** What opens an account, by hyperscaler. */
const credentials: Readonly<Record<string, readonly string[]>> = {
  azure: ['subscriptionID', 'tenantID', 'clientID', 'clientSecret'],
  aws: ['accessKeyID', 'secretAccessKey'],
  gcp: ['serviceaccount.json'],
  openstack: ['domainName', 'tenantName', 'username', 'password'],
};

/** For each hyperscaler: so many free accounts, two that are shared, and one for EU access. */
export function addAccounts(api: KubernetesApi, namespace: string, free: number): void {
  for (const [hyperscalerType, keys] of Object.entries(credentials)) {
    const add = (suffix: string, labels: Record<string, string> = {}) => {
      const metadata = {
        namespace,
        name: `${hyperscalerType}-${suffix}`,
        labels: { hyperscalerType, ...labels },
      };
      const stringData = Object.fromEntries(keys.map((key) => [key, `simulated-${key}`]));
      api.create(secret, { metadata, stringData });
      const secretRef = { name: metadata.name, namespace };
      api.create(secretBinding, { metadata, secretRef, provider: { type: hyperscalerType } });
    };
    for (let n = 1; n <= free; n += 1) add(`pool-${String(n).padStart(3, '0')}`);
    for (const n of [1, 2]) add(`shared-${n}`, { shared: 'true' });
    add('eu-1', { euAccess: 'true' });
  }
}
