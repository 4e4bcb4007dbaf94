import { randomUUID } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { seconds, type Milliseconds } from '#time';
import { keeping } from '../kept-state.ts';
import type { MakeSystem } from '../simulated-system.ts';
import { basicOf } from '../tokens.ts';
import {
  Assignment,
  Change,
  entryFor,
  inventoryFor,
  newServiceProvider,
  RuleChange,
  SecretRemoval,
  type ServiceProvider,
} from './service-providers.ts';

type Place = { Params: { id: string }; Querystring: { sp_id?: string } };

const identityProviders = [
  { id: '5e46ad8cc92edc106b93893b', name: 'https://idp.example.com' },
  { id: '5e46ad8cc92edc106b93893c', name: 'https://other-idp.example.com' },
];

/**
 * Identity Authentication Service: one document with all providers, in which a new one shows up late. Names may repeat, so
 * whoever creates before the first is visible has two.
 */
export const iasWith =
  ({ visibleAfter }: { readonly visibleAfter: Milliseconds }): MakeSystem =>
  ({ time, caller }) => {
    const providers = new Map<string, ServiceProvider>();

    return {
      name: 'ias',
      // By name: which one was made first says nothing.
      inventory: () => ({
        serviceProviders: [...providers.values()]
          .map(inventoryFor)
          .toSorted((a, b) => (a.name < b.name ? -1 : 1)),
      }),
      state: keeping({ providers }),
      serve(app) {
        app.addHook('onRequest', checkUser);
        const sps = '/service/sps';

        app.get<Place>('/service/company/:id', async ({ params }, reply) => {
          if (params.id !== 'global') return refuse(reply, 403, 'not your company');
          const visible = [...providers.values()].filter((each) => each.visibleFrom <= time.now());
          return {
            company_id: 'global',
            service_providers: visible.map(entryFor),
            identity_providers: identityProviders,
          };
        });
        app.post(sps, async ({ body }, reply) => {
          const form = new URLSearchParams(typeof body === 'string' ? body : '');
          if (form.get('company_id') !== 'global') return refuse(reply, 403, 'not your company');
          const name = form.get('sp_name');
          if (!name) return refuse(reply, 400, 'sp_name is missing');
          const created = newServiceProvider(name, time.now() + visibleAfter, caller());
          providers.set(created.id, created);
          return reply.code(201).send();
        });
        app.put<Place>(`${sps}/delete`, async ({ query }, reply) =>
          providers.delete(query.sp_id ?? '')
            ? reply.code(200).send()
            : refuse(reply, 404, 'no such service provider'),
        );
        app.put<Place>(`${sps}/:id`, async ({ params, body }, reply) => {
          const provider = providers.get(params.id);
          if (!provider) return refuse(reply, 404, 'no such service provider');
          const change = Change.safeParse(body);
          if (!change.success) return refuse(reply, 400, z.prettifyError(change.error));
          provider.configuration = { ...provider.configuration, ...change.data };
          return reply.code(204).send();
        });
        app.put<Place>(`${sps}/:id/rba`, async ({ params, body }, reply) => {
          const provider = providers.get(params.id);
          if (!provider) return refuse(reply, 404, 'no such service provider');
          const change = RuleChange.safeParse(body);
          if (!change.success) return refuse(reply, 400, z.prettifyError(change.error));
          provider.rules = change.data.service_provider.rba_config;
          return reply.code(204).send();
        });
        app.put(sps, async ({ body }, reply) => {
          const wanted = Assignment.safeParse(body);
          if (!wanted.success) return refuse(reply, 400, z.prettifyError(wanted.error));
          if (wanted.data.organization !== 'global') return refuse(reply, 403, 'not your company');
          const provider = providers.get(wanted.data.id);
          if (!provider) return refuse(reply, 404, 'no such service provider');
          if ('rest_api_client_secret' in wanted.data) {
            provider.secrets.push({
              clientSecretId: randomUUID(),
              ...wanted.data.rest_api_client_secret,
            });
            return { clientId: provider.userForRest, clientSecret: randomUUID() };
          }
          const id = /\/service\/idp\/([^/]+)$/.exec(wanted.data.default_auth_idp)?.[1];
          const known = identityProviders.find((each) => each.id === id);
          if (!known) return refuse(reply, 400, 'no such identity provider');
          provider.identityProvider = known.id;
          return reply.code(204).send();
        });
        app.delete(`${sps}/clientSecret`, async ({ body }, reply) => {
          const wanted = SecretRemoval.safeParse(body);
          if (!wanted.success) return refuse(reply, 400, z.prettifyError(wanted.error));
          const { clientId, clientSecretsIds } = wanted.data;
          const provider = [...providers.values()].find((each) => each.userForRest === clientId);
          if (!provider) return refuse(reply, 404, 'no such client');
          provider.secrets = provider.secrets.filter(
            ({ clientSecretId }) => !clientSecretsIds.includes(clientSecretId),
          );
          return reply.code(200).send();
        });
      },
    };
  };

export const ias = iasWith({ visibleAfter: seconds(2) });

/** Any user with a secret: there are no accounts to set up in a simulator. */
async function checkUser(
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply | undefined> {
  const [user, secret] = basicOf(request) ?? [];
  return user && secret ? undefined : refuse(reply, 401, 'who are you?');
}

const refuse = (reply: FastifyReply, code: number, message: string) =>
  reply.code(code).send({ code, message });
