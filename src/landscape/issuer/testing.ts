// For tests of clients and services: the issuer alone, the accounts of the demo, and what its visitors do.
import { createHash, randomBytes } from 'node:crypto';
import type { Landscape } from '../landscape.ts';

export { issuer } from './issuer.ts';
export { audience, clients, deviceGrant, users } from './demo-accounts.ts';

type Form = Readonly<Record<string, string>>;

/** An answer of the token endpoint, or of one that refuses. */
export type Answer = {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Readonly<Record<string, unknown>>;
};

/** Sends a form to an endpoint of the issuer, with HTTP Basic if there are credentials. */
export async function post(
  { url }: Landscape,
  path: string,
  form: Form | URLSearchParams,
  basic?: readonly [id: string, secret: string],
): Promise<Answer> {
  const credentials = basic?.map(encodeURIComponent).join(':');
  const response = await fetch(`${url}/issuer${path}`, {
    method: 'POST',
    headers: credentials
      ? { authorization: `Basic ${Buffer.from(credentials).toString('base64')}` }
      : {},
    body: new URLSearchParams(form),
  });
  const body = (await response.json()) as Answer['body'];
  return { status: response.status, headers: response.headers, body };
}

/** A token of the platform, with all scopes or some of them. */
export const platformToken = async (landscape: Landscape, scope?: string): Promise<string> =>
  String(
    (
      await post(
        landscape,
        '/token',
        { grant_type: 'client_credentials', ...(scope !== undefined && { scope }) },
        ['platform', 'platform-demo-secret'],
      )
    ).body['access_token'],
  );

/** A token that kcp got for a user with a password. */
export const userToken = async (landscape: Landscape, username: string): Promise<string> =>
  String((await post(landscape, '/token', passwordForm(username))).body['access_token']);

export const passwordForm = (username: string): Form => ({
  grant_type: 'password',
  client_id: 'kcp',
  username,
  password: `${username}-demo-password`,
});

export const redirectUri = 'http://127.0.0.1:8000/callback';

/** A request of the console for a code, with a fresh PKCE pair. */
export function authorizationRequest(more: Form = {}): { query: Form; verifier: string } {
  const verifier = randomBytes(32).toString('base64url');
  const query = {
    client_id: 'console',
    redirect_uri: redirectUri,
    response_type: 'code',
    scope: 'openid email profile groups',
    state: 'state-1',
    nonce: 'nonce-1',
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
    ...more,
  };
  return { query, verifier };
}

export const openPage = ({ url }: Landscape, path: string, query: Form): Promise<Response> =>
  fetch(`${url}/issuer${path}?${new URLSearchParams(query).toString()}`, { redirect: 'manual' });

/** Submits the page's form with one of its buttons, as a browser would: the fields of the page, and nothing else. */
export async function choose(page: Response, username: string): Promise<Response> {
  const html = await page.text();
  const plain = (text = '') =>
    text.replace(/&#(\d+);/g, (_, code) => String.fromCodePoint(Number(code)));
  const form = new URLSearchParams(
    [...html.matchAll(/<input [^>]*name="([^"]*)" value="([^"]*)"/g)].map(([, name, value]) => [
      plain(name),
      plain(value),
    ]),
  );
  form.set('username', username);
  const [, action] = /<form [^>]*action="([^"]*)"/.exec(html) ?? [];
  return fetch(new URL(action ?? '', page.url), { method: 'POST', body: form, redirect: 'manual' });
}

/** Where the browser is sent, with what. */
export const sentBack = (response: Response): URL => new URL(response.headers.get('location')!);

/** The whole way of a user through the page: the code, and what redeems it. */
export async function codeFor(
  landscape: Landscape,
  username: string,
  more: Form = {},
): Promise<Form> {
  const { query, verifier } = authorizationRequest(more);
  const page = await openPage(landscape, '/authorize', query);
  return {
    grant_type: 'authorization_code',
    client_id: query['client_id']!,
    redirect_uri: query['redirect_uri']!,
    code: sentBack(await choose(page, username)).searchParams.get('code')!,
    code_verifier: verifier,
  };
}
