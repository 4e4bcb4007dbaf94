/** An entry of the Shoot's list of extensions, which has entries of other people, too. */
export type Extension = {
  readonly type: string;
  readonly disabled?: boolean | undefined;
  readonly providerConfig?: unknown;
};

const networkingFilter = 'shoot-networking-filter';

export const newExtensions = (isFilterDisabled: boolean): Extension[] => [
  {
    type: 'shoot-dns-service',
    providerConfig: {
      apiVersion: 'service.dns.extensions.gardener.cloud/v1alpha1',
      kind: 'DNSConfig',
      dnsProviderReplication: { enabled: true },
    },
  },
  {
    type: 'shoot-cert-service',
    providerConfig: {
      apiVersion: 'service.cert.extensions.gardener.cloud/v1alpha1',
      kind: 'CertConfig',
      shootIssuers: { enabled: true },
    },
  },
  { type: networkingFilter, disabled: isFilterDisabled },
  { type: 'shoot-oidc-service', disabled: false },
];

/** The same list with this entry, in the place of the one of its type. */
export const withExtension = (all: readonly Extension[], entry: Extension): Extension[] =>
  all.some(({ type }) => type === entry.type)
    ? all.map((each) => (each.type === entry.type ? { ...each, ...entry } : each))
    : [...all, entry];

export const withNetworkingFilter = (all: readonly Extension[], disabled: boolean): Extension[] =>
  withExtension(all, { type: networkingFilter, disabled });

export const isNetworkingFilterDisabled = (all: readonly Extension[]): boolean | undefined =>
  all.find(({ type }) => type === networkingFilter)?.disabled;
