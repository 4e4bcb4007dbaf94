import type { Command } from 'commander';
import { accessToken } from './login/access-token.ts';
import type { IssuerClient } from './login/issuer.ts';
import { tokenCache, type TokenCache } from './login/token-cache.ts';
import { screenOf, type Screen } from './output/screen.ts';
import { usage } from './problem.ts';
import { service, type Service } from './service/service.ts';
import { readSettings, type Settings } from './settings/settings.ts';
import type { Surroundings } from './surroundings.ts';

/** What a command has at hand while it runs. */
export type Work = {
  readonly surroundings: Surroundings;
  readonly screen: Screen;
  readonly settings: Settings;
  readonly tokens: TokenCache;
  readonly trace: (line: string) => void;
  readonly now: () => Date;
  /** Whom kcp is at the issuer of those who log in. */
  readonly issuerClient: () => IssuerClient;
  /** The operator API, and the Open Service Broker API with whoever may order. */
  readonly broker: () => Service;
  readonly orders: () => Service;
  /** The Reconciler. It asks nobody who they are, and gets no token. */
  readonly reconciler: () => Service;
};

export const levelOf = (flags: Readonly<Record<string, unknown>>, surroundings: Surroundings) => {
  const text = [flags['verbose'], surroundings.environment['KCP_VERBOSE'], '0'].find(isText) ?? '0';
  if (!/^[0-6]$/.test(text)) throw usage(`--verbose is ${text}: allowed are 0 to 6`);
  return Number(text);
};

const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';

/** Flags of the command, and of kcp before the command's name. */
export const flagsOf = (command: Command): Record<string, unknown> => ({
  ...command.parent?.opts(),
  ...command.optsWithGlobals(),
  ...command.opts(),
});

export async function startWork(command: Command, surroundings: Surroundings): Promise<Work> {
  const { signal, notes, clock } = surroundings;
  const flags = flagsOf(command);
  const level = levelOf(flags, surroundings);
  const trace = (line: string) => void (level > 0 && notes.write(`${line}\n`));
  const settings = await readSettings(flags, surroundings);
  const tokens = tokenCache(settings.path);
  const now = () => new Date(Date.now() + clock.offset);
  const issuerClient = (kind: 'oidc' | 'oauth2' = 'oidc'): IssuerClient => {
    settings.require(`${kind}-issuer-url`, `${kind}-client-id`, 'keb-api-url');
    return {
      url: settings.require(`${kind}-issuer-url`)[`${kind}-issuer-url`],
      clientId: settings.require(`${kind}-client-id`)[`${kind}-client-id`],
      clientSecret: settings.get(`${kind}-client-secret`),
      signal,
      trace,
    };
  };
  const millis = () => now().getTime();
  const brokerWith = (token: (isFresh: boolean) => Promise<string>, headers = {}) =>
    service({
      name: 'the broker',
      url: settings.require('keb-api-url')['keb-api-url'],
      token,
      signal,
      trace,
      headers,
    });
  return {
    surroundings,
    screen: screenOf(surroundings),
    settings,
    tokens,
    trace,
    now,
    issuerClient,
    broker: () => brokerWith(accessToken(issuerClient(), tokens, millis)),
    orders: () => {
      const own = settings.get('oauth2-client-id') !== undefined;
      const client = issuerClient(own ? 'oauth2' : 'oidc');
      return brokerWith(accessToken(client, tokens, millis, own ? 'broker:write' : undefined), {
        'x-broker-api-version': '2.17',
      });
    },
    reconciler: () => {
      const url = settings.require('mothership-api-url')['mothership-api-url'];
      // Older configurations name the version of the API, too.
      return service({
        name: 'the Reconciler',
        url: `${url.replace(/\/v1$/, '')}/v1`,
        signal,
        trace,
      });
    },
  };
}

/** A command's work, as commander wants it. */
export const acts = <Flags extends object>(
  surroundings: Surroundings,
  act: (work: Work, flags: Flags, args: readonly string[]) => Promise<void>,
) =>
  async function (this: Command): Promise<void> {
    await act(await startWork(this, surroundings), this.opts<Flags>(), this.args);
  };
