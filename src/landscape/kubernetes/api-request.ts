import { z } from 'zod';
import { callerOf } from '../request-log.ts';
import type { Fields } from './kubernetes-object.ts';
import type { Write } from './object-writer.ts';
import { objectBody } from './request-body.ts';
import type { ResourcePath } from './resource-path.ts';
import { badRequest } from './status-error.ts';
import type { WatchRequest } from './watch.ts';

export type ApiRequest = {
  readonly method: string;
  /** Below where the API server is mounted: '/api/v1/namespaces'. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** Text, or what was read from it already. */
  readonly body: unknown;
};

export type ApiAnswer =
  | { readonly form: 'json'; readonly status: number; readonly body: Fields }
  | {
      readonly form: 'bytes';
      readonly status: number;
      readonly type: string;
      readonly body: string | Buffer;
    }
  | { readonly form: 'watch'; readonly request: WatchRequest };

/** Who does not name a field manager is known by the first part of its user agent. */
export function writeOf(request: ApiRequest, { subresource }: Partial<ResourcePath> = {}): Write {
  const agent = headerOf(request, 'user-agent')?.split('/', 1)[0];
  return {
    manager: request.query.get('fieldManager') || agent || 'unknown',
    isDryRun: request.query.get('dryRun') === 'All',
    askedBy: callerOf({ 'user-agent': headerOf(request, 'user-agent') }),
    ...(subresource === 'status' && { subresource }),
  };
}

const DeleteOptions = z.object({
  dryRun: z.array(z.string()).nullish(),
  preconditions: z
    .object({ uid: z.string().exactOptional(), resourceVersion: z.string().exactOptional() })
    .nullish(),
});

/** What a delete brings in its body. */
export function deletionOf(request: ApiRequest) {
  const options = DeleteOptions.safeParse(bodyOf(request) ?? {});
  if (!options.success) throw badRequest(`DeleteOptions: ${z.prettifyError(options.error)}`);
  const { dryRun, preconditions } = options.data;
  const write = writeOf(request);
  const isDryRun = write.isDryRun === true || dryRun?.includes('All') === true;
  return { preconditions, write: { ...write, isDryRun } };
}

export const bodyOf = (request: ApiRequest) =>
  objectBody(request.body, headerOf(request, 'content-type'));

export const isTrue = (value: string | null) => value === 'true' || value === '1';

export const headerOf = ({ headers }: ApiRequest, name: string): string | undefined => {
  const value = headers[name];
  return Array.isArray(value) ? value.join(',') : value;
};
