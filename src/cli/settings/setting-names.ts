/** What can be set on the command line, by `KCP_<UPPER_SNAKE>`, in a context or at the top of the config file. */
export const settingTable = {
  'oidc-issuer-url': { about: 'OIDC issuer that logs people in', isUrl: true },
  'oidc-client-id': { about: 'client that kcp is at that issuer' },
  'oidc-client-secret': { about: 'its secret, if it has one', isSecret: true },
  'keb-api-url': { about: 'environment broker: the API that kcp speaks to', isUrl: true },
  'mothership-api-url': { about: 'Reconciler, for kcp reconciliations', isUrl: true },
  'kubeconfig-api-url': { about: 'where kubeconfigs are; by default the broker', isUrl: true },
  'gardener-kubeconfig': { about: "file with Gardener's kubeconfig, for taskrun" },
  'gardener-namespace': { about: "namespace of Gardener's project, for taskrun" },
  'oauth2-issuer-url': { about: 'issuer of tokens for orders and removals', isUrl: true },
  'oauth2-client-id': { about: 'client that orders and removes; by default, whoever is logged in' },
  'oauth2-client-secret': { about: 'its secret', isSecret: true },
  'slack-api-url': { about: 'where upgrades are announced', isUrl: true, isSecret: true },
} as const satisfies Record<string, SettingAbout>;

type SettingAbout = {
  readonly about: string;
  readonly isUrl?: boolean;
  /** Never shown again once it is set. */
  readonly isSecret?: boolean;
};

export type SettingName = keyof typeof settingTable;
export const settingNames = Object.keys(settingTable) as SettingName[]; // keys of the table above

export const isSettingName = (name: string): name is SettingName =>
  Object.hasOwn(settingTable, name);
export const aboutSetting = (name: SettingName): SettingAbout => settingTable[name];

export const variableOf = (name: string) => `KCP_${name.toUpperCase().replaceAll('-', '_')}`;
export const flagOf = (name: string) =>
  name.replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
