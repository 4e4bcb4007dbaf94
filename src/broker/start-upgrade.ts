import type { PoolClient } from 'pg';
import type { Engine, StoredOperation } from '#engine';
import { Refusal } from './errors.ts';
import type { Services } from './services.ts';
import type { ClusterUpgrade, KymaUpgrade, Upgrade } from './steps/upgrade.ts';
import { isSame } from './wanted-changes.ts';

type Starting = Services & { readonly engine: Engine };

/** Another version of Kyma for one runtime, in the caller's transaction; under that id, if somebody knows it already. */
export const startUpgradeKyma = (
  services: Starting,
  instanceId: string,
  wanted: KymaUpgrade,
  db: PoolClient,
  id?: string,
): Promise<StoredOperation> => startUpgrade(services, 'upgradeKyma', instanceId, wanted, db, id);

/** Other versions of Kubernetes and the machine image for one runtime, in the caller's transaction. */
export const startUpgradeCluster = (
  services: Starting,
  instanceId: string,
  wanted: ClusterUpgrade,
  db: PoolClient,
  id?: string,
): Promise<StoredOperation> => startUpgrade(services, 'upgradeCluster', instanceId, wanted, db, id);

/**
 * It waits for its turn behind what is under way. The same upgrade again gives the one that is open. With it comes the
 * operation that ends the maintenance, however the upgrade ends.
 */
async function startUpgrade(
  { instances, engine, clients }: Starting,
  type: 'upgradeKyma' | 'upgradeCluster',
  instanceId: string,
  wanted: Upgrade,
  db: PoolClient,
  id?: string,
): Promise<StoredOperation> {
  const instance = await instances.lock(db, instanceId);
  if (!instance || instance.deletedAt)
    throw new Refusal('INSTANCE_UNKNOWN', `there is no instance ${instanceId}`);
  const open = (await engine.ofSubject(instanceId, 100, db)).filter(
    ({ ended_at }) => ended_at === null,
  );
  if (open.some((each) => each.type === 'deprovision'))
    throw busy(`the instance ${instanceId} is being deprovisioned`);
  const another = open.find((each) => each.type === type && each.cancel_because === null);
  if (another) {
    if (isSame(inputOf(engine, another), wanted)) return another;
    throw busy(`the instance ${instanceId} has another ${type} under way`);
  }
  const account = instance.globalAccount;
  const upgrade = await engine.start(type, instanceId, wanted, {
    account,
    db,
    ...(id !== undefined && { id }),
  });
  const { dryRun = false, notification = false } = wanted;
  const disturbs = clients.avs !== undefined || (notification && clients.spc !== undefined);
  if (!dryRun && disturbs)
    await engine.start('endMaintenance', instanceId, { plan: instance.planName }, { account, db });
  return upgrade;
}

/** What it was started with, without what its steps have found out since. */
function inputOf({ definitions }: Engine, { type, facts }: StoredOperation): object {
  const names = definitions.get(type).input;
  return Object.fromEntries(names.map((name) => [name, facts[name]]));
}

const busy = (message: string) => new Refusal('OPERATION_IN_PROGRESS', message);
