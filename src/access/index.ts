// Who asks, and whether they may: bearer tokens of an OpenID issuer, and basic credentials where a platform knows no other
// way. Which right an endpoint needs is said where the endpoint is.

export { AccessDenied } from './access-denied.ts';
export { has, type Identity, type Right } from './identity.ts';
export { bearerTokens, type TokenSettings } from './bearer-tokens.ts';
export { basicCredentials } from './basic-credentials.ts';
export { gate, type Gate, type Proof } from './gate.ts';
