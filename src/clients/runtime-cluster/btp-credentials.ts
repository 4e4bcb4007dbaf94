import { Hidden } from '../hidden.ts';

/** What the BTP Manager needs, under the names it looks for. */
export const btpCredentialKeys = [
  'clientid',
  'clientsecret',
  'sm_url',
  'tokenurl',
  'cluster_id',
] as const;
export type BtpCredentialKey = (typeof btpCredentialKeys)[number];

/** Opens the services of a subaccount to whoever has it. */
export class BtpCredentials extends Hidden<Readonly<Record<BtpCredentialKey, string>>> {
  override readonly shown = '[btp credentials]';
}

/** Which keys have other values; all of them if there is nothing to compare with. The values stay hidden. */
export function differingKeys(
  wanted: BtpCredentials,
  found: BtpCredentials | undefined,
): readonly BtpCredentialKey[] {
  const [left, right] = [wanted.reveal(), found?.reveal()];
  return btpCredentialKeys.filter((key) => left[key] !== right?.[key]);
}

export const emptyKeys = (credentials: BtpCredentials): readonly BtpCredentialKey[] =>
  btpCredentialKeys.filter((key) => credentials.reveal()[key] === '');
