import { consoleConfig } from './config.ts';
import { challengeOf, randomText } from './pkce.ts';

type Endpoints = {
  readonly authorization_endpoint: string;
  readonly token_endpoint: string;
  readonly end_session_endpoint?: string;
};
type Tokens = {
  readonly access: string;
  readonly refresh: string | undefined;
  readonly id: string | undefined;
  readonly expiresAt: number;
};
/** What must be the same when the issuer sends people back. */
type Attempt = { readonly state: string; readonly verifier: string; readonly returnTo: string };

// For this tab alone, and gone with it.
const tokensKey = 'console.tokens';
const attemptKey = 'console.attempt';
const scope = 'openid profile email groups broker:write cld:read';

export class SignInFailed extends Error {
  override readonly name = 'SignInFailed';
}

export const hasSession = () => sessionStorage.getItem(tokensKey) !== null;

export function forgetSession(): void {
  sessionStorage.removeItem(tokensKey);
}

/** Sends the browser to the issuer. In a demo the user may be named at once: no page asks again. */
export async function beginSignIn(returnTo: string, demoUser?: string): Promise<void> {
  const { clientId } = await consoleConfig();
  const { authorization_endpoint } = await endpoints();
  const attempt: Attempt = { state: randomText(), verifier: randomText(), returnTo };
  sessionStorage.setItem(attemptKey, JSON.stringify(attempt));
  const asked = {
    response_type: 'code',
    client_id: clientId,
    redirect_uri: redirectUri(),
    scope,
    state: attempt.state,
    code_challenge: await challengeOf(attempt.verifier),
    code_challenge_method: 'S256',
  };
  if (demoUser === undefined) {
    const separator = authorization_endpoint.includes('?') ? '&' : '?';
    location.assign(`${authorization_endpoint}${separator}${new URLSearchParams(asked)}`);
    return;
  }
  submit(authorization_endpoint, { ...asked, username: demoUser });
}

/** Turns the code that the issuer has sent into tokens. Says where the user wanted to go. */
export async function finishSignIn(answer: URLSearchParams): Promise<string> {
  const attempt = JSON.parse(sessionStorage.getItem(attemptKey) ?? 'null') as Attempt | null; // as beginSignIn left it
  sessionStorage.removeItem(attemptKey);
  const problem = answer.get('error_description') ?? answer.get('error');
  if (problem !== null) throw new SignInFailed(`The issuer says: ${problem}.`);
  const code = answer.get('code');
  if (!attempt || code === null || answer.get('state') !== attempt.state)
    throw new SignInFailed('This sign-in was not begun in this tab, or is over already.');
  const { clientId } = await consoleConfig();
  await ask({
    grant_type: 'authorization_code',
    client_id: clientId,
    code,
    code_verifier: attempt.verifier,
    redirect_uri: redirectUri(),
  });
  return attempt.returnTo;
}

/** Undefined if nobody has signed in, or nobody needs to. Renewed shortly before it expires. */
export async function accessToken(): Promise<string | undefined> {
  const tokens = stored();
  if (!tokens) return undefined;
  if (Date.now() < tokens.expiresAt - 30_000) return tokens.access;
  renewing ??= renew(tokens).finally(() => (renewing = undefined));
  return renewing;
}

/** Also at the issuer, if it can. */
export async function signOut(): Promise<void> {
  const tokens = stored();
  forgetSession();
  const { issuer } = await consoleConfig();
  if (issuer === undefined || tokens?.id === undefined) return location.assign('/ui/');
  const { end_session_endpoint } = await endpoints();
  if (end_session_endpoint === undefined) return location.assign('/ui/');
  const asked = { id_token_hint: tokens.id, post_logout_redirect_uri: `${location.origin}/` };
  location.assign(`${end_session_endpoint}?${new URLSearchParams(asked)}`);
}

let renewing: Promise<string | undefined> | undefined;

async function renew({ refresh }: Tokens): Promise<string | undefined> {
  const { clientId } = await consoleConfig();
  try {
    if (refresh === undefined) throw new SignInFailed('The session is over.');
    await ask({ grant_type: 'refresh_token', client_id: clientId, refresh_token: refresh });
    return stored()?.access;
  } catch (error) {
    if (!(error instanceof SignInFailed)) throw error; // the issuer cannot be reached: later, maybe
    forgetSession();
    return undefined;
  }
}

async function ask(form: Readonly<Record<string, string>>): Promise<void> {
  const { token_endpoint } = await endpoints();
  const response = await fetch(token_endpoint, { method: 'POST', body: new URLSearchParams(form) });
  const answer = (await response.json()) as Readonly<Record<string, string | number>>; // RFC 6749, 5
  if (!response.ok)
    throw new SignInFailed(
      `The issuer gave no token: ${answer['error_description'] ?? answer['error'] ?? response.status}.`,
    );
  const tokens = {
    access: answer['access_token'],
    refresh: answer['refresh_token'],
    id: answer['id_token'] ?? stored()?.id,
    expiresAt: Date.now() + Number(answer['expires_in'] ?? 60) * 1_000,
  };
  sessionStorage.setItem(tokensKey, JSON.stringify(tokens));
}

const stored = () => JSON.parse(sessionStorage.getItem(tokensKey) ?? 'null') as Tokens | null; // as ask left it
const redirectUri = () => `${location.origin}/callback`;

async function endpoints(): Promise<Endpoints> {
  const { issuer = '' } = await consoleConfig();
  const response = await fetch(`${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`);
  if (!response.ok) throw new SignInFailed(`The issuer ${issuer} does not say how to sign in.`);
  return (await response.json()) as Endpoints; // OpenID Connect Discovery
}

function submit(action: string, fields: Readonly<Record<string, string>>): void {
  const form = Object.assign(document.createElement('form'), { method: 'post', action });
  for (const [name, value] of Object.entries(fields))
    form.append(Object.assign(document.createElement('input'), { type: 'hidden', name, value }));
  document.body.append(form);
  form.submit();
}
