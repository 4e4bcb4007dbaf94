import { createHash, randomUUID } from 'node:crypto';
import { SubjectBusy, type Engine, type StoredOperation } from '#engine';
import type { Services } from '../services.ts';
import type { Runtime } from '../tables/runtimes-table.ts';
import { badRequest, notFound } from './api-error.ts';
import type { Caller } from './graphql-endpoint.ts';

/** What the resolvers work with. */
export type Api = Services & { readonly engine: Engine };

const uuid = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i;

/** Every request names the account that it is made for. */
export function tenantOf({ tenant }: Caller): string {
  if (tenant === '') throw badRequest('tenant header is empty');
  return tenant;
}

/** The caller's runtime. One of another tenant is refused, and nothing is told about it. */
export async function runtimeOf(
  { runtimes, database }: Services,
  caller: Caller,
  id: string,
): Promise<Runtime> {
  const tenant = tenantOf(caller);
  checkId('id', id);
  const runtime = await runtimes.get(database.pool, id);
  if (!runtime) throw notFound(`Cannot find Tenant for runtimeID:'${id}'`);
  if (runtime.tenant !== tenant) throw foreignTenant();
  return runtime;
}

/** The same, of one that has not been deleted. */
export async function liveRuntimeOf(api: Services, caller: Caller, id: string): Promise<Runtime> {
  const runtime = await runtimeOf(api, caller, id);
  if (runtime.deletedAt) throw badRequest(`runtime ${id} has been deprovisioned`);
  return runtime;
}

export const foreignTenant = () =>
  badRequest(
    'provided tenant does not match tenant used to provision cluster',
    'err_provisioner_foreign_tenant',
  );

export function checkId(field: string, value: string): void {
  if (!uuid.test(value)) throw badRequest(`${field} is ${JSON.stringify(value)}: expected a UUID`);
}

/** The same key of the same caller for the same mutation and runtime gives the same operation. */
export function operationIdFor(
  { idempotencyKey, tenant }: Caller,
  mutation: string,
  runtimeId = '',
): string {
  if (idempotencyKey === undefined) return randomUUID();
  const hash = createHash('sha256')
    .update(JSON.stringify([mutation, tenant, runtimeId, idempotencyKey]))
    .digest('hex');
  return hash.replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12}).*/, '$1-$2-8$3-8$4-$5');
}

/** Said before anything about the Shoot, which changes under the hands of that operation. `begin` makes sure of it. */
export async function checkIsFree({ engine }: Api, { id }: Pick<Runtime, 'id'>): Promise<void> {
  const [last] = await engine.ofSubject(id, 1);
  if (last && last.ended_at === null) throw new SubjectBusy(id);
}

/** Starts an operation on a runtime that has none in progress; the same again returns the one that is there. */
export const begin = (
  { engine }: Api,
  type: string,
  { id, tenant }: Pick<Runtime, 'id' | 'tenant'>,
  operationId: string,
  input: object,
): Promise<StoredOperation> =>
  engine.start(type, id, input, { id: operationId, account: tenant, onlyIfFree: true });
