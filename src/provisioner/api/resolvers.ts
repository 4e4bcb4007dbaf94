import { Secret } from '#database';
import type { StoredOperation } from '#engine';
import { acceptKymaUpgrade, acceptUpgrade, parseUpgrade } from '../config/accept-upgrade.ts';
import { checkHibernation } from '../shoot/hibernation.ts';
import { seenConfig } from '../shoot/seen-config.ts';
import { upgradedShoot } from '../shoot/upgraded-shoot.ts';
import { theShoot } from '../steps/the-runtime.ts';
import type { Runtime } from '../tables/runtimes-table.ts';
import { inTransaction } from '#database';
import {
  begin,
  checkId,
  checkIsFree,
  foreignTenant,
  liveRuntimeOf,
  operationIdFor,
  runtimeOf,
  tenantOf,
  type Api,
} from './api.ts';
import { badRequest, notFound } from './api-error.ts';
import type { Caller } from './graphql-endpoint.ts';
import { operationStatus, type OperationStatus } from './operation-status.ts';
import { provisionRuntime } from './provision-runtime.ts';
import { runtimeStatus, type RuntimeStatus } from './runtime-status.ts';

type OfId = { readonly id: string };
type OfConfig = { readonly config: unknown };

/** Every root field of the schema. */
export function resolvers(api: Api, signal: AbortSignal) {
  const { engine, clients } = api;
  const isInDirector = clients.director !== undefined;
  const statusOf = (operation: StoredOperation): OperationStatus =>
    operationStatus(engine, operation, { isInDirector });

  /** The operation that the same request began before, if there is one. */
  const before = async (caller: Caller, mutation: string, id: string) => {
    const operationId = operationIdFor(caller, mutation, id);
    return { operationId, known: await engine.get(operationId) };
  };

  return {
    Query: {
      async runtimeStatus(_: unknown, { id }: OfId, caller: Caller): Promise<RuntimeStatus> {
        return runtimeStatus(api, await runtimeOf(api, caller, id), signal);
      },
      async runtimeOperationStatus(_: unknown, { id }: OfId, caller: Caller) {
        const tenant = tenantOf(caller);
        checkId('id', id);
        const operation = await engine.get(id);
        if (!operation || operation.account === '')
          throw notFound(
            `failed to get Runtime Operation Status, Operation not found for id: ${id}`,
          );
        if (operation.account !== tenant) throw foreignTenant();
        return statusOf(operation);
      },
    },
    Mutation: {
      async provisionRuntime(_: unknown, { config }: OfConfig, caller: Caller) {
        return statusOf(await provisionRuntime(api, config, caller, signal));
      },
      async deprovisionRuntime(_: unknown, { id }: OfId, caller: Caller): Promise<string> {
        const runtime = await runtimeOf(api, caller, id);
        const { operationId, known } = await before(caller, 'deprovisionRuntime', id);
        if (known) return known.id;
        const extent = { hasKyma: runtime.kyma !== undefined, hasAgent: isInDirector };
        return (await begin(api, 'deprovision', runtime, operationId, extent)).id;
      },
      async upgradeShoot(_: unknown, { id, config }: OfId & OfConfig, caller: Caller) {
        const runtime = await liveRuntimeOf(api, caller, id);
        const { operationId, known } = await before(caller, 'upgradeShoot', id);
        if (known) return statusOf(known);
        parseUpgrade(config);
        await checkIsFree(api, runtime);
        const wanted = await checkedUpgrade(runtime, config, operationId);
        return statusOf(await begin(api, 'upgrade_shoot', runtime, operationId, wanted));
      },
      async upgradeRuntime(_: unknown, { id, config }: OfId & OfConfig, caller: Caller) {
        const runtime = await liveRuntimeOf(api, caller, id);
        const { operationId, known } = await before(caller, 'upgradeRuntime', id);
        if (known) return statusOf(known);
        const kyma = acceptKymaUpgrade(config);
        await checkIsFree(api, runtime);
        if (!runtime.kyma)
          throw badRequest(`failed to upgrade cluster: ${id} was provisioned without Kyma`);
        const wanted = { kyma: new Secret(JSON.stringify(kyma)) };
        return statusOf(await begin(api, 'upgrade', runtime, operationId, wanted));
      },
      async hibernateRuntime(_: unknown, { id }: OfId, caller: Caller) {
        const runtime = await liveRuntimeOf(api, caller, id);
        const { operationId, known } = await before(caller, 'hibernateRuntime', id);
        if (known) return statusOf(known);
        await checkIsFree(api, runtime);
        checkHibernation(await existingShoot(runtime));
        return statusOf(await begin(api, 'hibernate', runtime, operationId, {}));
      },
      async reconnectRuntimeAgent(_: unknown, { id }: OfId, caller: Caller): Promise<string> {
        const runtime = await liveRuntimeOf(api, caller, id);
        const { operationId, known } = await before(caller, 'reconnectRuntimeAgent', id);
        if (known) return known.id;
        if (!isInDirector)
          throw badRequest('no Director is configured: the runtime has no agent to reconnect');
        return (await begin(api, 'reconnect_runtime', runtime, operationId, {})).id;
      },
      async rollBackUpgradeOperation(_: unknown, { id }: OfId, caller: Caller) {
        const runtime = await liveRuntimeOf(api, caller, id);
        const [last] = await engine.ofSubject(id, 1);
        const isOver = last?.state === 'succeeded' || last?.state === 'failed';
        if (!last || last.type !== 'upgrade' || !isOver)
          throw badRequest(
            'upgrade can be rolled back only if it is the last operation that is already finished',
          );
        await rollBack(runtime, last);
        return runtimeStatus(api, await runtimeOf(api, caller, id), signal);
      },
    },
  };

  /** Only the record is turned back: this is for clusters that were restored from a backup. */
  async function rollBack({ id }: Runtime, upgrade: StoredOperation): Promise<void> {
    const { runtimes, database } = api;
    await inTransaction(database, async (db) => {
      const kyma = await runtimes.kymaBefore(db, upgrade.id);
      if (!kyma) return; // the upgrade failed before it changed anything
      await runtimes.putInForce(db, id, operationIdFor(rollback, upgrade.id, id), { kyma });
    });
  }

  async function existingShoot(runtime: Runtime) {
    const shoot = await theShoot(api, runtime, signal);
    if (!shoot) throw badRequest(`failed to find shoot for Runtime ${runtime.id}`, 'NotFound');
    return shoot;
  }

  /** What the upgrade makes of the cluster as it is now; Gardener has agreed to it. */
  async function checkedUpgrade(runtime: Runtime, input: unknown, operationId: string) {
    const { id, tenant, subaccount, administrators } = runtime;
    const shoot = await existingShoot(runtime);
    const now = { config: seenConfig(runtime.config, shoot), administrators };
    const wanted = acceptUpgrade(input, now);
    const owner = { runtimeId: id, operationId, tenant, subaccount };
    await clients.gardener.shoots.check(
      upgradedShoot(shoot, wanted.config, { ...owner, settings: api.settings.shoot }),
      signal,
    );
    return {
      config: wanted.config,
      administrators: new Secret(JSON.stringify(wanted.administrators)),
    };
  }
}

/** A rollback of the same upgrade is always the same entry of the history. */
const rollback: Caller = { tenant: '', subaccount: '', idempotencyKey: 'rollBackUpgradeOperation' };
