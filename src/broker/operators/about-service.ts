import { z } from 'zod';
import type { Api } from '../api/api.ts';
import { route, type OperatorRoute } from '../api/operator-route.ts';

const Me = z.strictObject({
  authentication: z.enum(['on', 'off']),
  subject: z.string().optional(),
  groups: z.array(z.string()),
  scopes: z.array(z.string()),
});

export const aboutRoutes = (api: Api): readonly OperatorRoute[] => [
  route({
    method: 'GET',
    path: '/version',
    right: 'everybody',
    about: 'Which version of this service answers',
    answers: z.strictObject({ version: z.string() }),
    handle: async () => ({ status: 200, body: { version: api.api.version } }),
  }),
  route({
    method: 'GET',
    path: '/me',
    right: 'somebody',
    about: 'Who asks, as this service understands it',
    answers: Me,
    async handle({ caller }) {
      if (!caller) return { status: 200, body: { authentication: 'off', groups: [], scopes: [] } };
      const { subject, groups, scopes } = caller;
      return { status: 200, body: { authentication: 'on', subject, groups, scopes } };
    },
  }),
];
