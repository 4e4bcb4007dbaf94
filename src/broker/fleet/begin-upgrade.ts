import { inTransaction } from '#database';
import type { StoredOperation } from '#engine';
import { minutes } from '#time';
import { Refusal } from '../errors.ts';
import type { Services } from '../services.ts';
import { startUpgradeCluster, startUpgradeKyma } from '../start-upgrade.ts';
import type { Orchestration } from './orchestration.ts';
import type { DueUpgrade } from './upgrades-table.ts';

/** Whether it has begun. It has not if the orchestration was stopped, or if something stands in its way. */
export async function beginUpgrade(
  services: Services,
  orchestration: Orchestration,
  { operationId, instanceId }: DueUpgrade,
): Promise<boolean> {
  const { fleet, database } = services;
  try {
    return await inTransaction(database, async (db) => {
      // Whoever has been told that it is paused or canceled can rely on it.
      if (!(await fleet.orchestrations.mayBegin(db, orchestration.id))) return false;
      if (!(await fleet.upgrades.begin(db, operationId))) return false;
      const starting = { ...services, engine: fleet.engine };
      const { type, parameters, id: orchestrationId } = orchestration;
      const { dryRun, notification, kyma, kubernetes } = parameters;
      const common = { dryRun, notification, orchestrationId };
      const { id } =
        type === 'upgradeKyma'
          ? await startUpgradeKyma(starting, instanceId, { ...kyma, ...common }, db, operationId)
          : await startUpgradeCluster(
              starting,
              instanceId,
              { ...kubernetes, ...common },
              db,
              operationId,
            );
      // An earlier attempt that somebody has had go on.
      if (id !== operationId) throw new Refusal('OPERATION_IN_PROGRESS', `${id} is under way`);
      return true;
    });
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    await giveWay(services, operationId, instanceId, error);
    return false;
  }
}

async function giveWay(
  { fleet, database: { pool } }: Services,
  operationId: string,
  instanceId: string,
  refusal: Refusal,
): Promise<void> {
  const { upgrades, engine } = fleet;
  if (refusal.code === 'INSTANCE_UNKNOWN')
    return upgrades.end(
      pool,
      operationId,
      'canceled',
      `Operation was canceled: ${refusal.message}`,
    );
  const removal = (await engine.ofSubject(instanceId)).find(isOpenRemoval);
  if (removal)
    return upgrades.end(
      pool,
      operationId,
      'succeeded',
      `operation preempted by deprovisioning ${removal.id}`,
    );
  return upgrades.postpone(pool, operationId, minutes(1), refusal.message);
}

const isOpenRemoval = ({ type, ended_at }: StoredOperation) =>
  type === 'deprovision' && ended_at === null;
