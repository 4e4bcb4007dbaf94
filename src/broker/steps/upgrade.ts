import { condition } from '#engine';
import { isSuspended, type Instance } from '../instance.ts';

/** What every upgrade knows from its start. */
export type Upgrade = {
  /** Only say what would be done. */
  readonly dryRun?: boolean;
  /** Tell the customer. */
  readonly notification?: boolean;
  /** Under which customers were told before; an upgrade that stands by itself announces itself. */
  readonly orchestrationId?: string;
};
export type KymaUpgrade = Upgrade & {
  /** None: the one that the landscape has for the account. */
  readonly version?: string;
};
export type ClusterUpgrade = Upgrade & {
  /** What is not named becomes the landscape's. */
  readonly kubernetesVersion?: string;
  readonly machineImage?: string;
  readonly machineImageVersion?: string;
};

export const customerIsTold = condition<{ plan: string } & Upgrade>(
  'the customer is to be told',
  ({ notification }) => notification === true,
);

/** Why there is nothing to upgrade, whatever it is. */
export function nothingToUpgrade(instance: Instance): string | undefined {
  if (instance.expiredAt) return 'the instance has expired: there is nothing to upgrade';
  if (isSuspended(instance)) return 'the instance is suspended: there is nothing to upgrade';
  return undefined;
}
