import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import {
  fastify,
  LogController,
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
} from 'fastify';
import type { Logger } from 'pino';
import { guard, openFrontDoor, serverOptions, type Authorize, type FrontDoor } from '#access';
import { AuditLog } from '#audit';
import { seconds } from '#time';
import { serveConsole } from '../console/serve-console.ts';
import { Refusal } from '../errors.ts';
import { answerError } from './answer-error.ts';
import { discardBody, takeAnyBody } from './any-body.ts';
import type { Api } from './api.ts';
import { requestIdentityHeader } from './broker-headers.ts';
import { serveDescription } from '../operators/serve-description.ts';
import { openRoutes, operatorRoutes } from './routes.ts';
import { serveOperators } from './serve-operators.ts';
import { serveOsb } from './serve-osb.ts';
import { defaultApiSettings, type ApiSettings } from './settings.ts';

export type BrokerAppOptions = Partial<ApiSettings> & {
  readonly log: Logger;
  readonly frontDoor?: FrontDoor;
  /** Without it everybody may do everything. */
  readonly authorize?: Authorize;
};

/** The broker's HTTP side: the Open Service Broker API, what operators ask for, kubeconfigs, health and metrics. */
export async function brokerApp(
  services: Omit<Api, 'api' | 'audit'>,
  { log, frontDoor = {}, authorize = async () => undefined, ...settings }: BrokerAppOptions,
): Promise<FastifyInstance> {
  const audit = new AuditLog(services.database, log);
  const api: Api = { ...services, audit, api: { ...defaultApiSettings, ...settings } };
  const logger: FastifyBaseLogger = log;
  const app = fastify({
    loggerInstance: logger,
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: correlationId,
    bodyLimit: 2 ** 20,
    ...serverOptions(frontDoor),
    connectionTimeout: seconds(60),
    // Ids may have 255 characters, and each of them up to twelve in a URL.
    routerOptions: { maxParamLength: 4_096 },
    frameworkErrors: (error, request, reply) => void answer(error, request, reply),
  });
  takeAnyBody(app);
  app.addHook('onRequest', async (request, reply) => echoIdentity(request, reply));
  app.addHook('onResponse', async (request, reply) => {
    const { method, url, headers, log: ofRequest } = request;
    const requestIdentity = headers[requestIdentityHeader];
    ofRequest.info({ method, url, status: reply.statusCode, requestIdentity }, 'answered');
  });
  app.setErrorHandler(async (error: { statusCode?: number }, request, reply) => {
    if (error.statusCode === 413) await discardBody(request.raw);
    return answer(error, request, reply);
  });
  app.setNotFoundHandler(({ method, url }) => {
    throw new Refusal('NOT_SERVED', `${method} ${url.split('?')[0]} is not served`);
  });
  await openFrontDoor(app, frontDoor, () => guard(app, authorize));
  serveOsb(app, api);
  const routes = operatorRoutes(api);
  serveOperators(app, api, routes);
  serveDescription(app, api, routes);
  const closing = new AbortController();
  app.addHook('preClose', async () => closing.abort());
  for (const [path, handle] of openRoutes(api, closing.signal))
    app.get<{ Params: { instanceId?: string } }>(path, { config: { right: 'everybody' } }, handle);
  await serveConsole(app, api.api.console);
  await app.ready();
  return app;
}

function answer(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  echoIdentity(request, reply);
  const { id, log } = request;
  const {
    status,
    body,
    headers = {},
  } = answerError(error, {
    requestId: id,
    log: log as Logger, // brokerApp hands in nothing else
  });
  return reply.code(status).headers(headers).send(body);
}

function echoIdentity({ headers }: FastifyRequest, reply: FastifyReply): void {
  const identity = headers[requestIdentityHeader];
  if (identity !== undefined) reply.header(requestIdentityHeader, identity);
}

const correlationHeaders = [
  'x-correlation-id',
  'x-correlationid',
  'x-forrequest-id',
  'x-request-id',
  'x-vcap-request-id',
];

/** Under which our logs, and those of whoever asks, speak of the same request. */
function correlationId({ headers }: IncomingMessage): string {
  const given = correlationHeaders.map((name) => headers[name]).find(Boolean);
  return typeof given === 'string' ? given.slice(0, 200) : randomUUID();
}
