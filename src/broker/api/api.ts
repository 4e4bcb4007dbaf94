import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import type { AuditLog } from '#audit';
import type { Engine } from '#engine';
import type { Platform } from '../plans/platform.ts';
import type { Jobs } from '../jobs/jobs.ts';
import type { Services } from '../services.ts';
import type { Originator } from './broker-headers.ts';
import type { ApiSettings } from './settings.ts';

/** What the endpoints work with. */
export type Api = Services & {
  readonly engine: Engine;
  readonly audit: AuditLog;
  readonly jobs: Jobs;
  readonly api: ApiSettings;
};

/** A request of a platform, as far as its headers and its path have been understood. */
export type OsbRequest = {
  readonly instanceId: string;
  readonly bindingId: string;
  readonly query: Readonly<Record<string, unknown>>;
  readonly body: unknown;
  readonly platform: Platform;
  /** Who is behind it, if the platform says so. */
  readonly originator: Originator | undefined;
  readonly userAgent: string | undefined;
  readonly log: Logger;
};

export type Answer = {
  readonly status: number;
  readonly body: object;
  readonly headers?: Readonly<Record<string, string>>;
};

export type Handler = (request: OsbRequest) => Promise<Answer>;

/** Of what anybody may ask for, and what is not the Open Service Broker API's. */
export type OpenHandler = (
  request: FastifyRequest<{ Params: { readonly instanceId?: string } }>,
  reply: FastifyReply,
) => Promise<FastifyReply>;
