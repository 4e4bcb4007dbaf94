import { seconds, type Clock, type Milliseconds } from '#time';
import { Problem } from '../problem.ts';
import {
  askForTokens,
  post,
  scopeText,
  TokenRefused,
  type Issuer,
  type IssuerClient,
  type Tokens,
} from './issuer.ts';

const grant = 'urn:ietf:params:oauth:grant-type:device_code';

/** The user logs in on another device, with a code to type there (RFC 8628). */
export async function deviceLogin(
  client: IssuerClient,
  issuer: Issuer,
  clock: Clock,
  tell: (line: string) => void,
): Promise<Tokens> {
  const { device_authorization_endpoint: endpoint } = issuer;
  if (endpoint === undefined)
    throw new Problem(
      'error',
      `${client.url} knows no device codes: use kcp login --browser or -u`,
    );
  const asked = await post(client, endpoint, { scope: scopeText(issuer) });
  const { device_code: deviceCode, user_code: userCode, verification_uri: page } = asked;
  if (typeof deviceCode !== 'string' || typeof userCode !== 'string' || typeof page !== 'string')
    throw new Problem('error', `${endpoint} answered without a code`);
  const complete = asked['verification_uri_complete'];
  tell(`Open ${page} on any device and type ${userCode}`);
  if (typeof complete === 'string') tell(`or open ${complete}`);
  let interval = seconds(Number(asked['interval'] ?? 5));
  for (;;) {
    await pause(interval, clock, client.signal);
    try {
      return await askForTokens(client, issuer, { grant_type: grant, device_code: deviceCode });
    } catch (error) {
      if (!(error instanceof TokenRefused)) throw error;
      if (error.code === 'slow_down') interval += seconds(5);
      else if (error.code !== 'authorization_pending') throw error;
    }
  }
}

/** By the given clock. Ctrl-C ends it. */
export async function pause(
  duration: Milliseconds,
  clock: Clock,
  signal: AbortSignal,
): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const interrupt = () => reject(new Problem('interrupted', 'interrupted'));
  if (signal.aborted) interrupt();
  signal.addEventListener('abort', interrupt, { once: true });
  const callOff = clock.after(duration, resolve);
  try {
    await promise;
  } finally {
    callOff();
    signal.removeEventListener('abort', interrupt);
  }
}
