import type { OIDCConfigInput } from '../config/gardener-input.ts';

/** Gardener takes no empty values: what is empty is left to the API server. */
export const oidcOnShoot = ({ signingAlgs, ...texts }: OIDCConfigInput) => ({
  ...Object.fromEntries(Object.entries(texts).filter(([, value]) => value !== '')),
  ...(signingAlgs.length > 0 && { signingAlgs }),
});

export const noOidc: OIDCConfigInput = {
  clientID: '',
  groupsClaim: '',
  issuerURL: '',
  signingAlgs: [],
  usernameClaim: '',
  usernamePrefix: '',
};
