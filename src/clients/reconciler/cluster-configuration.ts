/** Everything the Reconciler shall know of a cluster. Holds secrets: the kubeconfig, and values of components. */
export type ClusterConfiguration = {
  readonly runtimeID: string;
  readonly runtimeInput: { readonly name: string; readonly description: string };
  readonly kymaConfig: {
    readonly version: string;
    readonly profile: 'Production' | 'Evaluation';
    readonly components: readonly Component[];
    readonly administrators: readonly string[];
  };
  readonly metadata: {
    readonly globalAccountID: string;
    readonly subAccountID: string;
    readonly serviceID: string;
    readonly servicePlanID: string;
    readonly servicePlanName: string;
    readonly shootName: string;
    readonly instanceID: string;
    /** Empty for clusters that customers bring along. */
    readonly region: string;
  };
  readonly kubeconfig: string;
};

export type Component = {
  readonly URL: string;
  readonly component: string;
  readonly namespace: string;
  readonly version: string;
  readonly configuration: readonly Entry[];
};
export type Entry = {
  readonly key: string;
  readonly value: string | boolean;
  readonly secret: boolean;
};

export type Override = { readonly key: string; readonly value: string; readonly secret?: boolean };
export type ComponentChoice = {
  readonly component: string;
  readonly namespace: string;
  readonly url?: string;
  readonly version?: string;
  readonly overrides?: readonly Override[];
};

/** Each component gets the domain first, then all global overrides, then its own: later ones win. */
export function configuredComponents(
  choices: readonly ComponentChoice[],
  domain: string,
  globalOverrides: readonly Override[] = [],
): Component[] {
  const domainName = { key: 'global.domainName', value: domain };
  return choices.map(({ component, namespace, url = '', version = '', overrides = [] }) => ({
    URL: url,
    component,
    namespace,
    version,
    configuration: [domainName, ...globalOverrides, ...overrides].map(entry),
  }));
}

const entry = ({ key, value, secret = false }: Override): Entry => ({
  key,
  value: value === 'true' ? true : value === 'false' ? false : value,
  secret,
});

/** Without these the BTP operator would be installed and never work. */
const btpOperatorKeys = [
  'manager.secret.clientid',
  'manager.secret.clientsecret',
  'manager.secret.url',
  'manager.secret.sm_url',
  'manager.secret.tokenurl',
  'cluster.id',
  'manager.priorityClassName',
] as const;

/** What must not be missing, and is. Names only, no values. */
export function missingIn({
  runtimeID,
  metadata,
  kubeconfig,
  kymaConfig,
}: ClusterConfiguration): string[] {
  const required = {
    runtimeID,
    'metadata.instanceID': metadata.instanceID,
    'metadata.shootName': metadata.shootName,
    kubeconfig,
  };
  const missing = Object.entries(required).flatMap(([name, value]) => (value === '' ? name : []));
  const btpOperator = kymaConfig.components.find(({ component }) => component === 'btp-operator');
  if (!btpOperator) return missing;
  const isSet = (key: string) =>
    btpOperator.configuration.some(
      (each) => each.key === key && typeof each.value === 'string' && each.value !== '',
    );
  return [
    ...missing,
    ...btpOperatorKeys.filter((key) => !isSet(key)).map((key) => `btp-operator: ${key}`),
  ];
}
