import { createRemoteJWKSet, errors, jwtVerify, type JWTPayload, type RemoteJWKSet } from 'jose';
import { z } from 'zod';
import { minutes, seconds, type Milliseconds } from '#time';
import { AccessDenied } from './access-denied.ts';
import type { Proof } from './gate.ts';
import type { Identity } from './identity.ts';

export type TokenSettings = {
  /** As it stands in the tokens; its keys are found by its discovery document. */
  readonly issuer: string;
  readonly audience: string;
  /** So long after the last look at the keys an unknown one is no reason to look again; a second unless told. */
  readonly lookAgainAfter?: Milliseconds;
};

const Discovery = z.object({ issuer: z.string(), jwks_uri: z.url() });
/** `none` and shared secrets are not among them, whatever a token says of itself. */
const algorithms = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'EdDSA',
];

/** Checks tokens of one issuer: signature, issuer, audience, times. Keys are kept, and looked up anew when one is unknown. */
export function bearerTokens(settings: TokenSettings): Proof {
  const { issuer, audience, lookAgainAfter = seconds(1) } = settings;
  let keys: Promise<RemoteJWKSet> | undefined;

  const findKeys = async () => {
    const base = issuer.replace(/\/+$/, '');
    const response = await fetch(`${base}/.well-known/openid-configuration`, {
      signal: AbortSignal.timeout(seconds(5)),
    });
    if (!response.ok) throw new Error(`the issuer answered ${response.status}`);
    const found = Discovery.parse(await response.json());
    if (found.issuer !== issuer) throw new Error(`the issuer calls itself ${found.issuer}`);
    return createRemoteJWKSet(new URL(found.jwks_uri), {
      cooldownDuration: lookAgainAfter,
      cacheMaxAge: minutes(10),
      timeoutDuration: seconds(5),
    });
  };

  return {
    challenge: 'Bearer',
    async identify(scheme, token) {
      if (scheme !== 'bearer') return undefined;
      keys ??= findKeys();
      let resolve;
      try {
        resolve = await keys;
      } catch (cause) {
        keys = undefined; // the next request asks again
        throw new Error('the keys of the token issuer cannot be had', { cause });
      }
      try {
        const { payload } = await jwtVerify(token, resolve, {
          issuer,
          audience,
          algorithms,
          requiredClaims: ['exp'],
        });
        return identityOf(payload);
      } catch (cause) {
        if (cause instanceof errors.JWKSTimeout || !(cause instanceof errors.JOSEError)) {
          throw new Error('the keys of the token issuer cannot be had', { cause });
        }
        throw new AccessDenied(401, cause.code, 'the token is not valid', { cause });
      }
    },
  };
}

const Claims = z.object({
  sub: z.string().default(''),
  client_id: z.string().optional(),
  azp: z.string().optional(),
  scope: z.string().optional(),
  scp: z.union([z.string(), z.array(z.string())]).optional(),
  groups: z.array(z.string()).default([]),
});

function identityOf(payload: JWTPayload): Identity {
  const claims = Claims.safeParse(payload);
  if (!claims.success)
    throw new AccessDenied(401, 'claims', 'the token is not valid', { cause: claims.error });
  const { sub, client_id: clientId, azp, scope, scp, groups } = claims.data;
  const given = Array.isArray(scp) ? scp : [scp ?? ''];
  const scopes = [...given, scope ?? ''].flatMap((text) => text.split(' ')).filter(Boolean);
  const client = clientId ?? azp ?? sub;
  return { subject: sub || client, client, scopes: [...new Set(scopes)], groups };
}
