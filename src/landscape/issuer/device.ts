import { randomInt } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { days, minutes, seconds, type Milliseconds } from '#time';
import { allowedBy, authenticatedClient, formOf, parametersOf, scopesOf } from './clients.ts';
import { deviceGrant, users, type Client, type User } from './demo-accounts.ts';
import type { IssuerState } from './issuer-state.ts';
import { OAuthError } from './oauth-error.ts';
import { sendMessage, sendUserChoice } from './pages.ts';
import { secretText, type Session } from './sessions.ts';

/** A device that waits for somebody to say, elsewhere, who its user is (RFC 8628). */
export type DeviceRequest = {
  readonly client: Client;
  readonly userCode: string;
  readonly scopes: readonly string[];
  readonly expiresAt: Milliseconds;
  decision: 'pending' | 'denied' | 'used' | User;
  interval: Milliseconds;
  askedAt?: Milliseconds;
  readonly askedBy: string;
};

const lifetime = minutes(10);
/** Longer than its lifetime, so that a late device learns why it gets nothing. */
const remembered = days(1);

const Decision = z.strictObject({ user_code: z.string(), username: z.string().nullable() });

export function serveDevices(app: FastifyInstance, state: IssuerState): void {
  app.post('/device_authorization', async (request, reply) => {
    const form = formOf(request);
    const client = authenticatedClient(request, form);
    if (!client.grants.includes(deviceGrant))
      throw new OAuthError('unauthorized_client', 'this client may not use this grant type');
    const scopes = scopesOf(client.scopes, form.get('scope'));
    const deviceCode = secretText();
    const userCode = newUserCode();
    const expiresAt = state.now() + lifetime;
    const interval = seconds(5);
    const askedBy = state.caller();
    state.devices.set(
      deviceCode,
      { client, userCode, scopes, expiresAt, decision: 'pending', interval, askedBy },
      remembered,
    );
    void reply.header('cache-control', 'no-store');
    return {
      device_code: deviceCode,
      user_code: userCode,
      verification_uri: `${state.url()}/device`,
      verification_uri_complete: `${state.url()}/device?user_code=${userCode}`,
      expires_in: lifetime / seconds(1),
      interval: interval / seconds(1),
    };
  });
}

/** Where a decision is made: a page for people, and a call for tests and scripts. */
export function serveDeviceDecisions(app: FastifyInstance, state: IssuerState): void {
  app.get('/device', async (request, reply) => {
    const code = parametersOf(request).get('user_code') ?? '';
    return sendUserChoice(
      reply,
      'Who uses the device with this code?',
      [['user_code', code]],
      'user_code',
    );
  });
  app.post('/device', async (request, reply) => {
    const asked = parametersOf(request);
    const isDecided = decide(state, asked.get('user_code') ?? '', asked.get('username') || null);
    return isDecided
      ? sendMessage(reply, 'Done', 'You may go back to your device.')
      : sendMessage(reply.code(404), 'Not possible', 'No device waits with this code.');
  });
  app.post('/_device', async (request, reply) => {
    const decision = Decision.safeParse(request.body);
    if (!decision.success)
      return reply.code(400).send({ message: z.prettifyError(decision.error) });
    return decide(state, decision.data.user_code, decision.data.username)
      ? reply.code(204).send()
      : reply.code(404).send({ message: 'no device waits with this code, or no such user' });
  });
}

/** What the device gets when it asks for its tokens. */
export function collectDevice(state: IssuerState, client: Client, deviceCode: string): Session {
  const device = state.devices.get(deviceCode);
  if (!device || device.client.id !== client.id || device.decision === 'used')
    throw new OAuthError('invalid_grant', 'no such device code, or no longer');
  const now = state.now();
  if (now >= device.expiresAt) throw new OAuthError('expired_token', 'the device code has expired');
  const isTooEarly = device.askedAt !== undefined && now < device.askedAt + device.interval;
  device.askedAt = now;
  if (isTooEarly) {
    device.interval += seconds(5);
    throw new OAuthError('slow_down', 'asked again before the interval was over');
  }
  if (device.decision === 'pending')
    throw new OAuthError('authorization_pending', 'nobody has decided yet');
  if (device.decision === 'denied') throw new OAuthError('access_denied', 'the user has refused');
  const user = device.decision;
  device.decision = 'used';
  return state.sessions.begin(user, client, allowedBy(user, device.scopes));
}

function decide({ devices, now }: IssuerState, userCode: string, username: string | null) {
  const device = devices
    .values()
    .find(
      (each) =>
        plain(each.userCode) === plain(userCode) &&
        each.decision === 'pending' &&
        now() < each.expiresAt,
    );
  const decision = username === null ? 'denied' : users.find(({ name }) => name === username);
  if (!device || !decision) return false;
  device.decision = decision;
  return true;
}

/** No vowels, so that no words come out of it; easy to read out (RFC 8628, 6.1). */
function newUserCode(): string {
  const letters = 'BCDFGHJKLMNPQRSTVWXZ';
  const part = () => Array.from({ length: 4 }, () => letters[randomInt(letters.length)]).join('');
  return `${part()}-${part()}`;
}

const plain = (userCode: string) => userCode.toUpperCase().replaceAll(/[^A-Z]/g, '');
