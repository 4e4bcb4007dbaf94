import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import { Refusal } from '../errors.ts';
import { shortened } from '../plans/invalid-parameters.ts';
import { platformOf } from '../plans/platform.ts';
import type { Api, OsbRequest } from './api.ts';
import { checkVersion, originatorOf } from './broker-headers.ts';
import { recordActs } from './record-acts.ts';
import { checkContentType, checkId, parseBody } from './read-request.ts';
import { osbRight, osbRoutes, prefixes } from './routes.ts';

type Params = {
  readonly region?: string;
  readonly instanceId?: string;
  readonly bindingId?: string;
};
type Incoming = FastifyRequest<{ Params: Params; Querystring: Record<string, unknown> }>;

/** The routes of the Open Service Broker API. First who asks is checked, then the version, then what is asked. */
export function serveOsb(app: FastifyInstance, api: Api): void {
  void app.register(async (scope) => {
    // Platforms repeat what was not answered: one entry per request is enough.
    recordActs(scope, api.audit, { before: false, asError: (description) => ({ description }) });
    serveAll(scope, api);
  });
}

function serveAll(app: FastifyInstance, api: Api): void {
  for (const prefix of prefixes) {
    for (const [method, path, handle] of osbRoutes(api)) {
      app.route<{ Params: Params; Querystring: Record<string, unknown> }>({
        method,
        url: prefix + path,
        config: { right: osbRight },
        onRequest: async ({ headers }) => checkVersion(headers, api.api.missingVersionStatus),
        handler: async (request, reply) => {
          const { status, body, headers = {} } = await handle(understood(request, api));
          return reply.code(status).headers(headers).send(body);
        },
      });
    }
  }
}

function understood(request: Incoming, { api }: Api): OsbRequest {
  const { region, instanceId, bindingId } = request.params;
  if (region !== undefined) checkRegion(region);
  if (instanceId !== undefined) checkId('instance_id', instanceId);
  if (bindingId !== undefined) checkId('binding_id', bindingId);
  const takesBody = request.method === 'PUT' || request.method === 'PATCH';
  const log: Logger = request.log as Logger; // serve.ts hands in nothing else
  const originator = originatorOf(request.headers, log);
  if (originator) log.info({ originator }, 'somebody on a platform asks');
  return {
    instanceId: instanceId ?? '',
    bindingId: bindingId ?? '',
    query: request.query,
    body: takesBody ? bodyOf(request) : undefined,
    platform: platformOf(region, api.defaultRegion),
    originator,
    userAgent: request.headers['user-agent'],
    log,
  };
}

function bodyOf({ headers, body }: Incoming): unknown {
  checkContentType(headers['content-type']);
  return parseBody(typeof body === 'string' ? body : '');
}

function checkRegion(region: string): void {
  if (/^[\w.-]{1,64}$/.test(region)) return;
  throw new Refusal(
    'MALFORMED_REQUEST',
    `region is ${shortened(region)}: allowed are letters, digits, '-', '.' and '_', at most 64`,
  );
}
