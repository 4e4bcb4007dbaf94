import type { FastifyInstance } from 'fastify';
import { AccessDenied, listPlaces, refusedCaller, type Gate, type Right } from '#access';
import { ApiError } from './api-error.ts';

/** What each place asks of its callers. A place that is not named asks for the most. */
export const rights: Readonly<Record<string, Right>> = {
  '/': 'everybody', // the page and the schema; its requests bring a token
  '/healthz': 'everybody',
  '/readyz': 'everybody',
  '/metrics': 'everybody',
};
export const mostOfAll: Right = { scope: 'provisioner:write' };

/** Before anything of a request is read. Without a gate everybody may do everything. */
export function authorize(app: FastifyInstance, gate: Gate | undefined): void {
  listPlaces(app, ({ url }) => rights[url] ?? mostOfAll);
  app.decorateRequest('caller', undefined);
  if (!gate) return;
  app.addHook('onRequest', async (request, reply) => {
    const { headers, routeOptions } = request;
    try {
      const right = rights[routeOptions.url ?? ''] ?? mostOfAll;
      request.caller = await gate.admit(headers.authorization, right);
    } catch (error) {
      request.caller = refusedCaller(error);
      if (!(error instanceof AccessDenied)) throw error;
      const { status, message } = error;
      if (status === 401) void reply.header('www-authenticate', gate.challenges);
      throw new ApiError(
        message,
        { code: status, reason: reasons[status], component: 'provisioner' },
        { cause: error },
      );
    }
  });
}

const reasons = { 401: 'err_provisioner_unauthorized', 403: 'err_provisioner_forbidden' } as const;
