// Who asks, whether they may, and how much of it: bearer tokens of an OpenID issuer, basic credentials where a platform knows no
// other way, and what every request meets at the door of a service. Which right an endpoint needs is said where the
// endpoint is.

export { AccessDenied } from './access-denied.ts';
export { has, inWords, type Identity, type Right } from './identity.ts';
export { bearerTokens, type TokenSettings } from './bearer-tokens.ts';
export { basicCredentials } from './basic-credentials.ts';
export { gate, type Gate, type Proof } from './gate.ts';
export { guard, listPlaces, refusedCaller, type Authorize, type Place } from './guard.ts';
export { openFrontDoor, serverOptions, type FrontDoor, type SlowClients } from './front-door.ts';
export { type RateLimits } from './rate-limits.ts';
