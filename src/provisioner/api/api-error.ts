import { SystemError } from '#clients';
import { SubjectBusy } from '#engine';
import { InvalidInput } from '../config/invalid-input.ts';

/** An error as callers see it: `extensions` of the GraphQL error. The codes are numbers, not only those of HTTP. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly code: number;
  readonly reason: string;
  readonly component: string;

  constructor(
    message: string,
    { code, reason, component }: Pick<ApiError, 'code' | 'reason' | 'component'>,
    options?: ErrorOptions,
  ) {
    super(message, options);
    this.code = code;
    this.reason = reason;
    this.component = component;
  }
}

export const badRequest = (message: string, reason = 'err_provisioner_bad_request'): ApiError =>
  new ApiError(message, { code: 400, reason, component: 'provisioner' });

/** The original's code for what its database did not find; its clients look at the reason. */
const notFoundCode = 2;
export const notFound = (message: string): ApiError =>
  new ApiError(message, {
    code: notFoundCode,
    reason: 'err_db_not_found',
    component: 'db - provisioner',
  });

/** All that callers learn about what is our fault. */
export const internalError = {
  message: 'internal error',
  code: 500,
  reason: 'err_provisioner_internal',
  component: 'provisioner',
} as const;

/** The code as a status of HTTP, for what is no GraphQL. */
export const statusOf = (code: number): number => (code === notFoundCode ? 404 : code);

/** Undefined for what is nobody's fault but ours. */
export function apiErrorOf(error: unknown): ApiError | undefined {
  if (error instanceof ApiError) return error;
  if (error instanceof InvalidInput) return badRequest(error.message, error.reason);
  if (error instanceof SubjectBusy) {
    const message = `cannot start new operation for ${error.subject} Runtime while previous one is in progress`;
    return badRequest(message, 'err_provisioner_in_progress');
  }
  if (error instanceof SystemError) {
    const { message, reason, system, temporary } = error;
    const code = temporary ? 502 : (codesOfReasons[reason] ?? 400);
    return new ApiError(message, { code, reason, component: componentOf(system) });
  }
  return undefined;
}

const codesOfReasons: Readonly<Record<string, number>> = { Forbidden: 403, Unauthorized: 502 };

/** What the original calls the part that failed, by the system's name. */
export const componentOf = (system: string | undefined): string =>
  components[system ?? ''] ?? 'provisioner';

const components: Readonly<Record<string, string>> = {
  gardener: 'k8s client - gardener',
  'runtime-cluster': 'k8s client - cluster',
  'kyma-installer': 'kyma installer',
  director: 'compass director',
};
