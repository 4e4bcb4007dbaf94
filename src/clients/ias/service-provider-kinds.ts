/** What of a runtime lets people log in through IAS, how, and whom. */
export type ServiceProviderKind = {
  /** As in the provider's name. */
  readonly domain: string;
  readonly signOn: 'openIdConnect' | 'saml';
  /** Where a login returns to, on the host of the application. */
  readonly returnPath: string;
  /** Nobody else gets in. */
  readonly groups: readonly string[];
};

export const serviceProviderKinds = {
  grafana: {
    domain: 'Grafana',
    signOn: 'openIdConnect',
    returnPath: '/login/generic_oauth',
    groups: ['skr-monitoring-admin', 'skr-monitoring-viewer'],
  },
  dex: {
    domain: 'Dex',
    signOn: 'saml',
    returnPath: '/callback',
    groups: ['runtimeOperator', 'runtimeAdmin'],
  },
} as const satisfies Record<string, ServiceProviderKind>;

/** The key of a provider: IAS gives ids of its own, and does not tell them on creation. */
export const serviceProviderName = (
  { domain }: Pick<ServiceProviderKind, 'domain'>,
  instanceId: string,
): string => `SKR ${domain} (instanceID: ${instanceId})`;
