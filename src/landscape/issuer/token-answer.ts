import { randomUUID } from 'node:crypto';
import { seconds, type Milliseconds } from '#time';
import { audience, type Client, type User } from './demo-accounts.ts';
import type { IssuerState } from './issuer-state.ts';
import type { Session } from './sessions.ts';

/** A successful answer of the token endpoint, as it stands on the wire. */
export type TokenAnswer = {
  readonly access_token: string;
  readonly token_type: 'bearer';
  readonly expires_in: number;
  readonly scope: string;
  readonly refresh_token?: string;
  readonly id_token?: string;
};

export function answerForClient(
  state: IssuerState,
  client: Client,
  scopes: readonly string[],
): Promise<TokenAnswer> {
  return accessToken(state, { subject: client.id, client, groups: client.groups ?? [], scopes });
}

export async function answerForUser(
  state: IssuerState,
  session: Session,
  more: { readonly scopes?: readonly string[]; readonly nonce?: string | undefined } = {},
): Promise<TokenAnswer> {
  const { user, client } = session;
  const { scopes = session.scopes, nonce } = more;
  const answer = await accessToken(state, {
    subject: user.name,
    client,
    groups: user.groups,
    scopes,
  });
  state.accessTokens.set(answer.access_token, { ...session, scopes }, state.lifetime.accessToken);
  return {
    ...answer,
    ...(client.grants.includes('refresh_token') && {
      refresh_token: state.sessions.newRefreshToken(session),
    }),
    ...(scopes.includes('openid') && {
      id_token: await idToken(state, { ...session, scopes }, nonce),
    }),
  };
}

/** What a client may learn of a user. */
export const profileOf = ({ name, fullName, email, groups }: User, scopes: readonly string[]) => ({
  sub: name,
  groups,
  ...(scopes.includes('profile') && { preferred_username: name, name: fullName }),
  ...(scopes.includes('email') && { email, email_verified: true }),
});

async function accessToken(
  { keys, url, lifetime }: IssuerState,
  token: { subject: string; client: Client; groups: readonly string[]; scopes: readonly string[] },
): Promise<TokenAnswer> {
  const issuedAt = inSeconds(Date.now());
  const scope = token.scopes.join(' ');
  const claims = {
    iss: url(),
    sub: token.subject,
    aud: audience,
    iat: issuedAt,
    nbf: issuedAt + inSeconds(lifetime.notBefore),
    exp: issuedAt + inSeconds(lifetime.accessToken),
    jti: randomUUID(),
    client_id: token.client.id,
    scope,
    scp: token.scopes, // as the rules of the mesh read it
    groups: token.groups,
  };
  return {
    access_token: await keys.sign(claims, 'at+jwt'),
    token_type: 'bearer',
    expires_in: inSeconds(lifetime.accessToken),
    scope,
  };
}

function idToken(
  { keys, url, lifetime }: IssuerState,
  { id, user, client, scopes, startedAt }: Session,
  nonce: string | undefined,
): Promise<string> {
  const issuedAt = inSeconds(Date.now());
  const claims = {
    ...profileOf(user, scopes),
    iss: url(),
    aud: client.id,
    iat: issuedAt,
    exp: issuedAt + inSeconds(lifetime.accessToken),
    auth_time: inSeconds(startedAt),
    sid: id,
    ...(nonce !== undefined && { nonce }),
  };
  return keys.sign(claims, 'JWT');
}

const inSeconds = (duration: Milliseconds) => Math.floor(duration / seconds(1));
