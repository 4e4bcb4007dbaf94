import { hours, seconds, type Milliseconds } from '#time';
import type { Surroundings } from '../simulated-system.ts';
import type { AuthorizationCode } from './authorize.ts';
import type { DeviceRequest } from './device.ts';
import { ExpiringMap } from './expiring-map.ts';
import { Sessions, type Session } from './sessions.ts';
import { SigningKeys } from './signing-keys.ts';

/** What the endpoints of the issuer share. */
export type IssuerState = ReturnType<typeof issuerState>;

export function issuerState({ time, url, caller }: Surroundings) {
  // People log in at any speed, and those who check the tokens live in real time: the speed is of no account here. What
  // tests advance ends codes and sessions; it is not in the tokens, because their readers' clocks were not advanced.
  const now = (): Milliseconds => Date.now() + time.advanced;
  return {
    url,
    now,
    caller,
    keys: new SigningKeys(),
    sessions: new Sessions(now, caller),
    codes: new ExpiringMap<AuthorizationCode>(now),
    devices: new ExpiringMap<DeviceRequest>(now),
    /** Those with a user, for userinfo. */
    accessTokens: new ExpiringMap<Session>(now),
    lifetime: { accessToken: hours(1), notBefore: 0, code: seconds(60) },
  };
}
