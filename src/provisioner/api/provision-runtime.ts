import { inTransaction } from '#database';
import type { StoredOperation } from '#engine';
import { acceptProvisioning, type AcceptedProvisioning } from '../config/accept-provisioning.ts';
import type { GardenerConfig } from '../config/gardener-config.ts';
import { registrationLabel } from '../operations/abandoned-registration.ts';
import { newShoot } from '../shoot/new-shoot.ts';
import { ShootNameInUse } from '../tables/runtimes-table.ts';
import { operationIdFor, tenantOf, type Api } from './api.ts';
import { badRequest } from './api-error.ts';
import type { Caller } from './graphql-endpoint.ts';

const registering = (operationId: string) => `registration of ${operationId}`;

/**
 * Accepts a new runtime. Gardener has agreed to the cluster before anything is stored; Director's id for it is given back
 * if the request fails, also if that is because this process dies.
 */
export async function provisionRuntime(
  api: Api,
  config: unknown,
  caller: Caller,
  signal: AbortSignal,
): Promise<StoredOperation> {
  const { settings, clients, engine } = api;
  const accepted = acceptProvisioning(config, settings);
  const tenant = tenantOf(caller);
  const operationId = operationIdFor(caller, 'provisionRuntime');
  const known = await engine.get(operationId);
  if (known) return known;
  const { subaccount } = caller;
  const owner = { runtimeId: operationId, operationId, tenant, subaccount };
  const shoot = newShoot(accepted.config, { ...owner, settings: settings.shoot });
  await refuseTakenName(api, accepted.config, signal);
  await clients.gardener.shoots.check(shoot, signal);
  const registration = await register(api, accepted, { tenant, operationId }, signal);
  try {
    return await store(api, accepted, { ...owner, ...registration });
  } catch (error) {
    // Given back at once, not in ten minutes. If even that fails, it is only later.
    if (registration.guard !== undefined) await engine.wake(registration.guard);
    const meanwhile = await engine.get(operationId);
    if (meanwhile) return meanwhile; // the same request, at the same moment
    if (error instanceof ShootNameInUse) throw badRequest(error.message, 'err_db_already_exists');
    throw error;
  }
}

/** Before Gardener is asked: it would take the request for a change of that cluster. */
async function refuseTakenName(
  { clients }: Api,
  { name }: GardenerConfig,
  signal: AbortSignal,
): Promise<void> {
  if (await clients.gardener.shoots.get(name, signal))
    throw badRequest(`name is "${name}": there is a shoot of this name already`, 'AlreadyExists');
}

type Registered = { readonly runtimeId: string; readonly guard: string | undefined };

/** Without a Director the runtime's id is that of the operation: unique, and the same if the request comes again. */
async function register(
  { clients, engine }: Api,
  { runtime }: AcceptedProvisioning,
  { tenant, operationId }: { readonly tenant: string; readonly operationId: string },
  signal: AbortSignal,
): Promise<Registered> {
  const { director } = clients;
  if (!director) return { runtimeId: operationId, guard: undefined };
  const guard = await engine.start('abandoned_registration', registering(operationId), {
    tenant,
    operationId,
  });
  const label = { key: registrationLabel, value: operationId };
  const [registered] = await director.findRuntimes(tenant, label, signal);
  const runtimeId =
    registered ??
    (await director.registerRuntime(
      tenant,
      {
        name: runtime.name,
        ...(runtime.description !== undefined && { description: runtime.description }),
        labels: { ...jsonLabels(runtime.labels), [label.key]: label.value },
      },
      signal,
    ));
  return { runtimeId, guard: guard.id };
}

/** They came as JSON. */
const jsonLabels = (labels: Readonly<Record<string, unknown>> = {}) =>
  labels as Readonly<Record<string, string>>;

/** The runtime, its operation, and the end of the guard: all of it, or nothing. */
function store(
  { runtimes, database, engine, clients }: Api,
  { runtime, config, administrators, kymaConfig: kyma }: AcceptedProvisioning,
  owner: Registered & {
    readonly operationId: string;
    readonly tenant: string;
    readonly subaccount: string;
  },
): Promise<StoredOperation> {
  const { runtimeId: id, operationId, tenant, subaccount, guard } = owner;
  return inTransaction(database, async (db) => {
    const extent = { hasKyma: kyma !== undefined, hasAgent: clients.director !== undefined };
    const started = await engine.start('provision', id, extent, {
      id: operationId,
      account: tenant,
      onlyIfFree: true,
      db,
    });
    const shootName = config.name;
    const description = runtime;
    await runtimes.insert(
      db,
      { id, tenant, subaccount, shootName, description, config, administrators, kyma },
      operationId,
    );
    if (guard !== undefined) await engine.cancel(guard, 'the runtime is stored', db);
    return started;
  });
}
