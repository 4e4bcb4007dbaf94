import type { Instance } from '../instance.ts';
import type { LmsTenantKey } from '../tables/lms-tenants-table.ts';
import type { LmsRules } from './legacy-settings.ts';

/** Where tenants are, by the region of the cluster. Regions that are not named have theirs in Europe. */
const regions: Readonly<Record<string, string>> = {
  westeurope: 'eu',
  northeurope: 'eu',
  westus2: 'eu',
  uksouth: 'eu',
  francecentral: 'eu',
  uaenorth: 'eu',
  eastus: 'us',
  eastus2: 'us',
  centralus: 'us',
  eastus2euap: 'us',
  southeastasia: 'aus',
  japaneast: 'aus',
};

const longestName = 50;

/** All runtimes of an account in a region share a tenant. */
export const lmsTenantOf = (
  { globalAccount, region }: Pick<Instance, 'globalAccount' | 'region'>,
  rules: Pick<LmsRules, 'region'>,
): LmsTenantKey => ({
  name: globalAccount.replace(/[^a-z0-9]/gi, '').slice(0, longestName),
  region: rules.region ?? regions[region.toLowerCase()] ?? 'eu',
});

export const sendsLogsToLms = (
  { globalAccount }: Pick<Instance, 'globalAccount'>,
  { accounts }: Pick<LmsRules, 'accounts'>,
): boolean =>
  accounts === 'all' || accounts.some((each) => each.toLowerCase() === globalAccount.toLowerCase());
