import type { IncomingHttpHeaders } from 'node:http';
import type { Logger } from 'pino';
import { z } from 'zod';
import { Refusal } from '../errors.ts';

export const requestIdentityHeader = 'x-broker-api-request-identity';
const versionHeader = 'x-broker-api-version';
const originHeader = 'x-broker-api-originating-identity';

/** The one that answers are made for. Minor versions only add, so any of this major one will do. */
const served = '2.17';

export function checkVersion(headers: IncomingHttpHeaders, missingStatus: 400 | 412): void {
  const version = headers[versionHeader];
  if (version === undefined || version === '') {
    throw new Refusal(
      missingStatus === 400 ? 'VERSION_MISSING' : 'VERSION_NOT_SUPPORTED',
      `the header X-Broker-API-Version is missing: send ${served}`,
    );
  }
  if (typeof version !== 'string' || !/^2\.\d+$/.test(version)) {
    throw new Refusal(
      'VERSION_NOT_SUPPORTED',
      `X-Broker-API-Version is ${JSON.stringify(version)}: this broker speaks 2.x, send ${served}`,
    );
  }
}

/** Somebody on a platform, as the platform itself knows them. */
export type Originator = { readonly platform: string; readonly user: string | undefined };

/** As it can be stored. */
const user = z
  .string()
  .min(1)
  .max(255)
  .refine((name) => name.isWellFormed() && !name.includes('\0'))
  .optional();
const Identity = z.object({ user_id: user, username: user });

/** What nobody can read is no reason to refuse a request: it may be the one that cleans up. */
export function originatorOf(
  headers: IncomingHttpHeaders,
  log: Pick<Logger, 'warn'>,
): Originator | undefined {
  const header = headers[originHeader];
  if (header === undefined) return undefined;
  const [, platform, encoded] = /^(\S+) +([\w+/=-]+)$/.exec(String(header)) ?? [];
  if (platform === undefined || encoded === undefined) {
    log.warn('the originating identity is not "<platform> <base64>"');
    return undefined;
  }
  const identity = Identity.safeParse(json(Buffer.from(encoded, 'base64').toString('utf8')));
  if (!identity.success) {
    log.warn({ platform }, 'the originating identity holds no JSON object that can be read');
    return { platform, user: undefined };
  }
  return { platform, user: identity.data.user_id ?? identity.data.username };
}

function json(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
