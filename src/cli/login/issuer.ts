import { seconds } from '#time';
import { Problem } from '../problem.ts';
import { ask } from '../service/http.ts';

/** What an issuer says of itself (OpenID Connect Discovery). */
export type Issuer = {
  readonly issuer: string;
  readonly token_endpoint: string;
  readonly authorization_endpoint?: string;
  readonly device_authorization_endpoint?: string;
  readonly scopes_supported?: readonly string[];
};

export type Tokens = {
  readonly access_token: string;
  readonly refresh_token?: string;
  readonly id_token?: string;
  readonly expires_in?: number;
};

/** How kcp speaks to issuers: who it is there, and what carries its requests. */
export type IssuerClient = {
  readonly url: string;
  readonly clientId: string;
  readonly clientSecret?: string | undefined;
  readonly signal: AbortSignal;
  readonly trace: (line: string) => void;
};

/** An issuer that answers with an error of OAuth2. Its code decides what happens next. */
export class TokenRefused extends Problem {
  readonly code: string;

  constructor(code: string, message: string) {
    super('notAllowed', message);
    this.code = code;
  }
}

export async function discover({ url, signal, trace }: IssuerClient): Promise<Issuer> {
  const place = `${url}/.well-known/openid-configuration`;
  const response = await ask({ method: 'GET', url: place, signal, trace, within: seconds(20) });
  const content = response.ok ? await jsonOf(response) : {};
  if (typeof content['token_endpoint'] !== 'string')
    throw new Problem(
      'error',
      `${place} answered ${response.status}, and does not describe an OIDC issuer: is oidc-issuer-url right?`,
    );
  // A foreign issuer's name would mean that somebody answers in its place.
  if (content['issuer'] !== url)
    throw new Problem(
      'error',
      `${place} speaks for ${String(content['issuer'])}: set that as oidc-issuer-url`,
    );
  return content as Issuer; // what is optional is looked at before use
}

/** Of `wanted`, what the issuer knows; nothing if it does not say. */
export const scopeText = ({ scopes_supported: known = [] }: Issuer): string =>
  ['openid', 'profile', 'email', 'groups', 'offline_access', 'broker:write', 'cld:read']
    .filter((scope) => scope === 'openid' || known.includes(scope))
    .join(' ');

/** Sends a form; the client says who it is as the issuer's kind of client does. */
export async function post(
  client: IssuerClient,
  url: string,
  form: Readonly<Record<string, string>>,
): Promise<Record<string, unknown>> {
  const { clientId, clientSecret, signal, trace } = client;
  const basic =
    clientSecret === undefined
      ? undefined
      : Buffer.from(`${encodeURIComponent(clientId)}:${encodeURIComponent(clientSecret)}`).toString(
          'base64',
        );
  const response = await ask({
    method: 'POST',
    url,
    headers: basic === undefined ? {} : { authorization: `Basic ${basic}` },
    body: new URLSearchParams({ ...(basic === undefined && { client_id: clientId }), ...form }),
    signal,
    trace,
    within: seconds(30),
  });
  const content = await jsonOf(response);
  if (response.ok) return content;
  const code = typeof content['error'] === 'string' ? content['error'] : `${response.status}`;
  const why = content['error_description'];
  const reason = typeof why === 'string' ? `${code}: ${why}` : code;
  throw new TokenRefused(code, `${client.url} gives no token for client ${clientId} (${reason})`);
}

export async function askForTokens(
  client: IssuerClient,
  issuer: Issuer,
  form: Readonly<Record<string, string>>,
): Promise<Tokens> {
  const tokens = await post(client, issuer.token_endpoint, form);
  if (typeof tokens['access_token'] !== 'string')
    throw new Problem('error', `${issuer.token_endpoint} answered without an access_token`);
  return tokens as Tokens; // what is optional is looked at before use
}

async function jsonOf(response: Response): Promise<Record<string, unknown>> {
  try {
    const content: unknown = await response.json();
    return typeof content === 'object' && content !== null
      ? (content as Record<string, unknown>)
      : {};
  } catch {
    return {}; // no JSON; whoever asked says so
  }
}

/** What a token says of its bearer. Only shown: the services check it. */
export function claimsIn(token: string): Readonly<Record<string, unknown>> {
  try {
    const [, payload = ''] = token.split('.');
    return JSON.parse(Buffer.from(payload, 'base64url').toString()) as Record<string, unknown>;
  } catch {
    return {}; // not every issuer's access tokens can be read
  }
}
