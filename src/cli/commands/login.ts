import { createInterface } from 'node:readline/promises';
import type { Command } from 'commander';
import { command, examples } from '../command.ts';
import { accessToken, cacheKey } from '../login/access-token.ts';
import { browserLogin } from '../login/browser-code.ts';
import { deviceLogin } from '../login/device-code.ts';
import { askForTokens, claimsIn, discover, scopeText, type Tokens } from '../login/issuer.ts';
import { loginOf } from '../login/token-cache.ts';
import { timeText } from '../output/times.ts';
import { usage } from '../problem.ts';
import type { Surroundings } from '../surroundings.ts';
import { acts, type Work } from '../work.ts';

type Flags = {
  readonly username?: string;
  readonly password?: string;
  readonly device?: boolean;
  readonly browser?: boolean;
  readonly clientCredentials?: boolean;
};

export const login = (surroundings: Surroundings): Command =>
  command('login', 'Logs in, and keeps the token for the commands that follow.')
    .alias('l')
    .option('-u, --username <name>', 'with a password instead of a browser')
    .option('-p, --password <password>', 'the password; - reads it from standard input')
    .option('--browser', 'with a browser on this machine')
    .option('--device', 'with a code to type on any other device')
    .option('--client-credentials', 'as the client itself, with its secret')
    .addHelpText(
      'after',
      examples(
        ['kcp login', 'with a browser; as the client itself if its secret is set'],
        ['kcp login --device', 'where there is no browser'],
        ['kcp login -u operator -p -', 'with a name and a password, read from standard input'],
      ),
    )
    .action(
      acts<Flags>(surroundings, async (work, flags) => {
        const client = work.issuerClient();
        const tokens = await tokensFor(work, flags);
        const kept = loginOf(tokens, work.now().getTime());
        await work.tokens.write(cacheKey(client), kept);
        const claims = claimsIn(tokens.access_token);
        const groups = [claims['groups']].flat().filter((each) => typeof each === 'string');
        const until = timeText(new Date(kept.expiresAt).toISOString());
        const length =
          kept.refreshToken === undefined ? `until ${until}` : 'until it is not used for long';
        work.screen.print(
          `logged in at ${client.url} as ${typeof claims['sub'] === 'string' ? claims['sub'] : client.clientId}, ${length}`,
          `groups: ${groups.join(', ') || 'none'}`,
        );
      }),
    );

export const logout = (surroundings: Surroundings): Command =>
  command('logout', 'Forgets the token.')
    .addHelpText('after', examples(['kcp logout', 'nobody is logged in any more']))
    .action(
      acts(surroundings, async (work) => {
        const client = work.issuerClient();
        await work.tokens.write(cacheKey(client), undefined);
        work.screen.print(`logged out at ${client.url}`);
      }),
    );

/** For scripts that speak to the services themselves. */
export const token = (surroundings: Surroundings): Command =>
  command('token', 'Prints the access token, for curl and scripts.')
    .addHelpText(
      'after',
      examples(['curl -H "Authorization: Bearer $(kcp token)" $URL/runtimes', 'with curl']),
    )
    .action(
      acts(surroundings, async (work) => {
        const now = () => work.now().getTime();
        work.screen.print(await accessToken(work.issuerClient(), work.tokens, now)(false));
      }),
    );

async function tokensFor(work: Work, flags: Flags): Promise<Tokens> {
  const { surroundings, screen } = work;
  const { username, device, browser } = flags;
  if ((username === undefined) !== (flags.password === undefined))
    throw usage('--username and --password belong together: give both, or none of them');
  const ways = [username !== undefined, device, browser, flags.clientCredentials].filter(Boolean);
  if (ways.length > 1)
    throw usage('one way to log in at a time: -u, --browser, --device or --client-credentials');
  const client = work.issuerClient();
  const issuer = await discover(client);
  if (username !== undefined)
    return askForTokens(client, issuer, {
      grant_type: 'password',
      username,
      password: await passwordOf(flags.password, surroundings),
      scope: scopeText(issuer),
    });
  const isClient =
    flags.clientCredentials || (ways.length === 0 && client.clientSecret !== undefined);
  if (isClient) {
    if (client.clientSecret === undefined)
      throw usage(
        '--client-credentials needs a secret: set oidc-client-secret (KCP_OIDC_CLIENT_SECRET)',
      );
    return askForTokens(client, issuer, { grant_type: 'client_credentials' });
  }
  if (device) return deviceLogin(client, issuer, surroundings.clock, screen.note);
  return browserLogin(client, issuer, surroundings, screen.note);
}

/** Whoever writes it on the command line shows it to everybody on the machine; `-` does not. */
async function passwordOf(given: string | undefined, { input }: Surroundings): Promise<string> {
  if (given !== '-') return given ?? '';
  const lines = createInterface({ input });
  for await (const line of lines) return line;
  throw usage('--password - reads from standard input, and there was nothing');
}
