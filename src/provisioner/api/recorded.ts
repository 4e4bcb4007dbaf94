import { AuditLogUnavailable, type AuditLog } from '#audit';
import { ApiError, apiErrorOf, statusOf } from './api-error.ts';
import type { Caller } from './graphql-endpoint.ts';

type Arguments = { readonly id?: string; readonly config?: unknown };
type Resolver = (root: unknown, given: never, caller: Caller) => Promise<unknown>;

/** Mutations that end up in the audit log, whatever becomes of them. Nobody gets an answer before the entry is committed. */
export const recorded = (audit: AuditLog, mutations: Readonly<Record<string, Resolver>>) =>
  Object.fromEntries(
    Object.entries(mutations).map(([name, resolve]) => [
      name,
      async (root: unknown, given: Arguments, caller: Caller) => {
        const record = (outcome: number, result?: unknown) =>
          recordAct(audit, { name, given, caller, outcome, result });
        let result;
        try {
          result = await resolve(root, given as never, caller); // the schema says what arrives
        } catch (error) {
          const code = apiErrorOf(error)?.code;
          await record(code === undefined ? 500 : statusOf(code));
          throw error;
        }
        await record(200, result);
        return result;
      },
    ]),
  );

type Done = {
  readonly name: string;
  readonly given: Arguments;
  readonly caller: Caller;
  readonly outcome: number;
  readonly result?: unknown;
};

async function recordAct(
  audit: AuditLog,
  { name, given: { id, config }, caller, outcome, result }: Done,
): Promise<void> {
  const { identity, tenant, requestId = '' } = caller;
  try {
    await audit.record({
      actor: identity?.subject ?? 'anybody',
      client: identity?.client ?? '',
      action: `mutation ${name}`,
      subject: id ?? runtimeIn(result),
      outcome,
      requestId,
      details: { tenant, fields: Object.keys(config ?? {}) },
    });
  } catch (error) {
    if (!(error instanceof AuditLogUnavailable)) throw error;
    throw new ApiError(
      'this could not be recorded, and may have been done all the same: ask again with the same idempotency key',
      { code: 503, reason: 'err_provisioner_not_recorded', component: 'provisioner' },
      { cause: error },
    );
  }
}

const runtimeIn = (result: unknown): string =>
  typeof result === 'object' && result !== null && 'runtimeID' in result
    ? String(result.runtimeID)
    : '';
