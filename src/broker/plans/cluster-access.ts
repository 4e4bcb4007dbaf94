import type { OidcConfig } from '#clients';
import type { GivenParameters, OidcParameter } from './parameter-definitions.ts';

/** Field by field: what is left out or left empty is the landscape's. */
export function effectiveOidc(given: OidcParameter | undefined, defaults: OidcConfig): OidcConfig {
  const { signingAlgs = [] } = given ?? {};
  return {
    clientID: given?.clientID || defaults.clientID,
    issuerURL: given?.issuerURL || defaults.issuerURL,
    groupsClaim: given?.groupsClaim || defaults.groupsClaim,
    signingAlgs: signingAlgs.length > 0 ? signingAlgs : defaults.signingAlgs,
    usernameClaim: given?.usernameClaim || defaults.usernameClaim,
    usernamePrefix: given?.usernamePrefix || defaults.usernamePrefix,
  };
}

/** Whoever ordered the cluster administers it, unless others were named. */
export function administratorsOf(
  { administrators = [] }: GivenParameters,
  userId: string,
): readonly string[] {
  return administrators.length > 0 ? administrators : [userId];
}

const outsiders = ['CUSTOMER', 'PARTNER', 'TRIAL'];

/** The filter keeps our own clusters off dangerous addresses; those of others are none of its business. */
export function isFilterDisabled(licenseType: string | undefined): boolean {
  return licenseType !== undefined && outsiders.includes(licenseType);
}
