import { inspect } from 'node:util';

/** What the BTP Manager needs, under the names it looks for. */
export const btpCredentialKeys = [
  'clientid',
  'clientsecret',
  'sm_url',
  'tokenurl',
  'cluster_id',
] as const;
export type BtpCredentialKey = (typeof btpCredentialKeys)[number];

/** Opens the services of a subaccount to whoever has it. Shows itself only when asked. */
export class BtpCredentials {
  readonly #values: Readonly<Record<BtpCredentialKey, string>>;

  constructor(values: Readonly<Record<BtpCredentialKey, string>>) {
    this.#values = values;
  }

  reveal(): Readonly<Record<BtpCredentialKey, string>> {
    return this.#values;
  }

  toString(): string {
    return '[btp credentials]';
  }

  toJSON(): string {
    return '[btp credentials]';
  }

  [inspect.custom](): string {
    return '[btp credentials]';
  }
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
