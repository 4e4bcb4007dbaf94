import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { seconds } from '#time';
import { keeping } from '../kept-state.ts';
import type { MakeSystem } from '../simulated-system.ts';
import { serveAuthorization } from './authorize.ts';
import { clients, grants, identityScopes, users } from './demo-accounts.ts';
import { serveDeviceDecisions, serveDevices } from './device.ts';
import { serveEndOfSession } from './end-session.ts';
import { serveTokens } from './grants.ts';
import { issuerState, type IssuerState } from './issuer-state.ts';
import { OAuthError } from './oauth-error.ts';
import { algorithm } from './signing-keys.ts';
import { serveUserInfo } from './user-info.ts';

/** OAuth2 and OpenID Connect: tokens for the platform, kcp and the console, signed so that services can check them. */
export const issuer: MakeSystem = (surroundings) => {
  const state = issuerState(surroundings);
  const { keys, sessions, codes, devices, accessTokens, lifetime } = state;
  return {
    name: 'issuer',
    inventory: () => ({
      keys: keys.list(),
      clients: clients.map(({ id, scopes }) => ({ id, scopes })),
      users: users.map(({ name, groups }) => ({ name, groups })),
      sessions: sessions.list().map(({ user, client, scopes, askedBy }) => ({
        user: user.name,
        client: client.id,
        scopes,
        askedBy,
      })),
      devices: devices.values().map(({ client, decision, askedBy }) => ({
        client: client.id,
        decision: typeof decision === 'string' ? decision : decision.name,
        askedBy,
      })),
    }),
    state: keeping({ keys, sessions, codes, devices, accessTokens, lifetime }),
    serve(app) {
      app.setErrorHandler((error, _request, reply) => {
        if (!(error instanceof OAuthError)) throw error;
        const { code, message, status } = error;
        if (code === 'invalid_client')
          void reply.header('www-authenticate', 'Basic realm="issuer"');
        if (code === 'invalid_token' || code === 'insufficient_scope')
          void reply.header('www-authenticate', `Bearer error="${code}"`);
        return reply.code(status).send({ error: code, error_description: message });
      });
      void app.register(async (scope) => {
        openToBrowsers(scope);
        serveDiscovery(scope, state);
        serveTokens(scope, state);
        serveDevices(scope, state);
        serveUserInfo(scope, state);
      });
      serveAuthorization(app, state);
      serveDeviceDecisions(app, state);
      serveEndOfSession(app, state);
      serveSwitches(app, state);
    },
  };
};

function serveDiscovery(app: FastifyInstance, { url, keys }: IssuerState): void {
  app.get('/.well-known/openid-configuration', async () => ({
    issuer: url(),
    authorization_endpoint: `${url()}/authorize`,
    token_endpoint: `${url()}/token`,
    device_authorization_endpoint: `${url()}/device_authorization`,
    userinfo_endpoint: `${url()}/userinfo`,
    end_session_endpoint: `${url()}/end_session`,
    jwks_uri: `${url()}/jwks`,
    response_types_supported: ['code'],
    response_modes_supported: ['query'],
    grant_types_supported: grants,
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: [algorithm],
    token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post', 'none'],
    code_challenge_methods_supported: ['S256'],
    authorization_response_iss_parameter_supported: true,
    scopes_supported: [...new Set([...identityScopes, ...clients.flatMap(({ scopes }) => scopes)])],
    claims_supported: ['sub', 'name', 'preferred_username', 'email', 'groups'],
  }));
  app.get('/jwks', async () => keys.jwks());
  // For the console of a demo: who can be chosen.
  app.get('/_users', async () =>
    users.map(({ name, fullName, groups, scopes }) => ({ name, fullName, groups, scopes })),
  );
}

/** The console asks from another origin. */
function openToBrowsers(app: FastifyInstance): void {
  app.addHook('onRequest', async (_request, reply) => {
    void reply.header('access-control-allow-origin', '*');
  });
  app.options('/*', async (_request, reply) =>
    reply
      .code(204)
      .header('access-control-allow-methods', 'GET, POST')
      .header('access-control-allow-headers', 'authorization, content-type')
      .send(),
  );
}

const Lifetime = z.strictObject({
  access_token: z.int().max(86_400),
  not_before: z.int().min(0).max(86_400).default(0),
});

/**
 * For tests and demos. A lifetime in seconds that is not positive makes tokens that have expired already; `not_before`, also
 * in seconds, those that are not good yet.
 */
function serveSwitches(app: FastifyInstance, { keys, lifetime, caller }: IssuerState): void {
  app.post('/_rotate', async () => {
    keys.rotate(caller());
    return { keys: keys.ids };
  });
  app.put('/_lifetime', async (request, reply) => {
    const wanted = Lifetime.safeParse(request.body);
    if (!wanted.success) return reply.code(400).send({ message: z.prettifyError(wanted.error) });
    lifetime.accessToken = seconds(wanted.data.access_token);
    lifetime.notBefore = seconds(wanted.data.not_before);
    return reply.code(204).send();
  });
}
