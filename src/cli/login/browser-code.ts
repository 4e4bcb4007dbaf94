import { createHash, randomBytes } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { minutes } from '#time';
import { Problem } from '../problem.ts';
import type { Surroundings } from '../surroundings.ts';
import {
  askForTokens,
  claimsIn,
  scopeText,
  type Issuer,
  type IssuerClient,
  type Tokens,
} from './issuer.ts';

const patience = minutes(5);

/** The user logs in with a browser, which brings a code back to this machine (RFC 8252, with PKCE). */
export async function browserLogin(
  client: IssuerClient,
  issuer: Issuer,
  surroundings: Surroundings,
  tell: (line: string) => void,
): Promise<Tokens> {
  const { authorization_endpoint: page } = issuer;
  if (page === undefined)
    throw new Problem('error', `${client.url} has no login page: use kcp login --device or -u`);
  const verifier = randomBytes(32).toString('base64url');
  const state = randomBytes(16).toString('base64url');
  const nonce = randomBytes(16).toString('base64url');
  const [server, port] = await listen(surroundings.loginPorts);
  try {
    const redirectUri = `http://127.0.0.1:${port}/callback`;
    const url = new URL(page);
    for (const [name, value] of Object.entries({
      response_type: 'code',
      client_id: client.clientId,
      redirect_uri: redirectUri,
      scope: scopeText(issuer),
      state,
      nonce,
      code_challenge: createHash('sha256').update(verifier).digest('base64url'),
      code_challenge_method: 'S256',
    }))
      url.searchParams.set(name, value);
    const answer = codeFrom(server, { state, issuer: issuer.issuer }, surroundings);
    tell(`Log in with your browser: ${url.href}`);
    surroundings.openPage(url.href);
    const tokens = await askForTokens(client, issuer, {
      grant_type: 'authorization_code',
      code: await answer,
      redirect_uri: redirectUri,
      code_verifier: verifier,
    });
    if (tokens.id_token !== undefined && claimsIn(tokens.id_token)['nonce'] !== nonce)
      throw new Problem(
        'notAllowed',
        `${client.url} answered another login than this one: try again`,
      );
    return tokens;
  } finally {
    server.close();
    server.closeAllConnections();
  }
}

/** On the first port that is free. Whoever registers kcp at an issuer has to name them. */
async function listen(ports: readonly number[]): Promise<[Server, number]> {
  for (const port of ports) {
    const server = createServer();
    const { promise, resolve } = Promise.withResolvers<boolean>();
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => resolve(true));
    if (await promise) return [server, (server.address() as AddressInfo).port]; // a port, not a pipe
  }
  throw new Problem(
    'error',
    `no free port for the browser's answer on 127.0.0.1 (${ports.join(', ')}): free one, or use kcp login --device`,
  );
}

function codeFrom(
  server: Server,
  expected: { readonly state: string; readonly issuer: string },
  { clock, signal }: Surroundings,
): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  server.on('request', (request, response) => {
    const { pathname, searchParams: back } = new URL(request.url ?? '/', 'http://127.0.0.1');
    const say = (status: number, text: string) =>
      response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8' }).end(text);
    if (pathname !== '/callback') return say(404, 'Nothing is here.');
    // Not from our issuer, or not for this login: somebody else's page may send a browser here.
    if (
      back.get('state') !== expected.state ||
      (back.get('iss') ?? expected.issuer) !== expected.issuer
    )
      return say(400, 'This is not the answer that kcp waits for.');
    const code = back.get('code');
    if (code === null) {
      const why = back.get('error_description') ?? back.get('error') ?? 'no code';
      say(400, `The login failed: ${why}`);
      return reject(new Problem('notAllowed', `the login failed: ${why}`));
    }
    say(200, 'You are logged in. You may close this window and go back to kcp.');
    return resolve(code);
  });
  const callOff = clock.after(patience, () =>
    reject(new Problem('notAllowed', 'nobody logged in within 5 minutes: try again')),
  );
  signal.addEventListener('abort', () => reject(new Problem('interrupted', 'interrupted')), {
    once: true,
  });
  return promise.finally(callOff);
}
