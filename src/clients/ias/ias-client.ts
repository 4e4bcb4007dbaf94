import { z } from 'zod';
import { seconds } from '#time';
import { httpClient, type Authentication, type SystemSettings } from '../http-client.ts';
import { SystemError } from '../system-error.ts';
import { companyWith, type ServiceProvider } from './company.ts';
import {
  accessRulesBody,
  attributesBody,
  newSecretBody,
  signOnBody,
  subjectBody,
} from './provider-bodies.ts';
import type { ServiceProviderKind } from './service-provider-kinds.ts';

/** Identity Authentication Service: a service provider per application of a runtime, through which people log in. */
export type IasClient = {
  /** Nothing is found, too, for a while after the creation. */
  readonly findServiceProvider: (
    name: string,
    signal: AbortSignal,
  ) => Promise<ServiceProvider | undefined>;
  /** Look for it first: IAS would create a second one. It tells no id: look again afterwards, until it is visible. */
  readonly createServiceProvider: (name: string, signal: AbortSignal) => Promise<void>;
  /** Which attributes and subject a login has, which identity provider it uses, and who is let in. Safe to repeat. */
  readonly configureServiceProvider: (
    provider: ServiceProvider,
    kind: Pick<ServiceProviderKind, 'groups'>,
    signal: AbortSignal,
  ) => Promise<void>;
  /** Once the application's host is known. Safe to repeat. */
  readonly setSignOn: (
    providerId: string,
    kind: Pick<ServiceProviderKind, 'signOn' | 'returnPath'>,
    host: string,
    signal: AbortSignal,
  ) => Promise<void>;
  /** In place of those that the provider had when it was found: find it anew before a repetition. */
  readonly generateSecret: (
    provider: ServiceProvider,
    signal: AbortSignal,
  ) => Promise<IasClientSecret>;
  /** All that have the name; none is a success. */
  readonly deleteServiceProvider: (name: string, signal: AbortSignal) => Promise<void>;
};

export type IasClientSecret = z.output<typeof SecretAnswer>;

export type IasSettings = SystemSettings & {
  readonly userId: string;
  readonly userSecret: string;
  /** The name of the corporate identity provider. */
  readonly identityProvider: string;
};

const SecretAnswer = z.object({ clientId: z.string().min(1), clientSecret: z.string().min(1) });

const success = [200, 201, 204];
const goneOr = [...success, 404];

export function iasClient(settings: IasSettings): IasClient {
  const http = httpClient('ias', { timeout: seconds(60), ...settings }, basic(settings));
  const sps = '/service/sps';
  const pathOf = (id: string) => `${sps}/${encodeURIComponent(id)}`;
  const put = async (what: string, path: string, body: object, signal: AbortSignal) => {
    await http.request({ method: 'PUT', path, body, expect: success, what, signal });
  };

  async function find(name: string, signal: AbortSignal): Promise<ServiceProvider[]> {
    const { body } = await http.request({
      method: 'GET',
      path: '/service/company/global',
      expect: success,
      answer: companyWith(name, settings.identityProvider),
      what: 'read the company',
      signal,
    });
    const [identityProvider] = body.identity_providers;
    // Whoever does not know our identity provider is not the company we mean: nothing is changed there, or deleted.
    if (!identityProvider)
      throw unusable(
        'no_identity_provider',
        `there is no identity provider ${settings.identityProvider}`,
      );
    return body.service_providers.map((each) => ({
      ...each,
      identityProviderId: identityProvider.id,
    }));
  }

  return {
    findServiceProvider: async (name, signal) => (await find(name, signal))[0],

    async createServiceProvider(name, signal) {
      // IAS wants the values as they are, not encoded: what would end a value cannot be sent.
      if (/[&=%+\r\n]/.test(name))
        throw unusable('unusable_name', `'${name}' cannot name a service provider`);
      await http.request({
        method: 'POST',
        path: sps,
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        body: `sp_name=${name}&company_id=global`,
        expect: success,
        what: `create ${name}`,
        signal,
      });
    },

    async configureServiceProvider({ id, assertionAttributes, identityProviderId }, kind, signal) {
      const idpUrl = `${settings.url.replace(/\/+$/, '')}/service/idp/${identityProviderId}`;
      const idp = { organization: 'global', id, default_auth_idp: idpUrl };
      await put('set attributes', pathOf(id), attributesBody(assertionAttributes), signal);
      await put('set the subject name', pathOf(id), subjectBody, signal);
      await put('set the identity provider', sps, idp, signal);
      await put('set access rules', `${pathOf(id)}/rba`, accessRulesBody(kind), signal);
    },

    setSignOn: (providerId, kind, host, signal) =>
      put(`set ${kind.signOn}`, pathOf(providerId), signOnBody(kind, host), signal),

    async generateSecret({ id, secretIds, userForRest }, signal) {
      if (secretIds.length > 0) {
        await http.request({
          method: 'DELETE',
          path: `${sps}/clientSecret`,
          body: { clientId: userForRest, clientSecretsIds: secretIds },
          expect: goneOr,
          what: 'delete old secrets',
          signal,
        });
      }
      const { body } = await http.request({
        method: 'PUT',
        path: sps,
        body: { organization: 'global', id, rest_api_client_secret: newSecretBody },
        expect: success,
        answer: SecretAnswer,
        what: 'generate a secret',
        signal,
      });
      return body;
    },

    async deleteServiceProvider(name, signal) {
      for (const { id } of await find(name, signal)) {
        await http.request({
          method: 'PUT',
          path: `${sps}/delete`,
          query: { sp_id: id },
          expect: goneOr,
          what: `delete ${name}`,
          signal,
        });
      }
    },
  };
}

/** IAS wants a connection for each request. */
function basic({ userId, userSecret }: IasSettings): Authentication {
  const authorization = `Basic ${Buffer.from(`${userId}:${userSecret}`).toString('base64')}`;
  return { header: async () => ({ authorization, connection: 'close' }) };
}

const unusable = (reason: string, message: string) =>
  new SystemError('ias', `ias: ${message}`, { temporary: false, reason });
