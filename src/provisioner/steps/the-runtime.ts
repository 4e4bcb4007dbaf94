import { runtimeIdOf, SystemError, type Kubeconfig, type Shoot } from '#clients';
import { memoryOf, type StepContext } from '#engine';
import type { Services } from '../services.ts';
import type { Runtime } from '../tables/runtimes-table.ts';

type Context = Pick<StepContext<object>, 'operation' | 'memory' | 'signal'>;

/** The runtime that the operation works on, as it is stored now. */
export async function theRuntime(
  { runtimes, database }: Services,
  { operation }: Pick<Context, 'operation'>,
): Promise<Runtime> {
  const runtime = await runtimes.get(database.pool, operation.subject);
  if (!runtime) throw new Error(`there is no runtime ${operation.subject}`);
  return runtime;
}

/** Its Shoot; undefined if there is none. One of the same name that is somebody else's is an error. */
export async function theShoot(
  { clients }: Services,
  { id, shootName }: Pick<Runtime, 'id' | 'shootName'>,
  signal: AbortSignal,
): Promise<Shoot | undefined> {
  const shoot = await clients.gardener.shoots.get(shootName, signal);
  if (shoot && runtimeIdOf(shoot) !== id) throw new ForeignShoot(shootName, id);
  return shoot;
}

/** The same for removals: a cluster that is somebody else's is no reason to keep ours, which cannot be there. */
export async function ownShootOf(
  { clients }: Services,
  { id, shootName }: Pick<Runtime, 'id' | 'shootName'>,
  signal: AbortSignal,
): Promise<Shoot | undefined> {
  const shoot = await clients.gardener.shoots.get(shootName, signal);
  return shoot && runtimeIdOf(shoot) === id ? shoot : undefined;
}

/** There is a cluster of this name that is none of ours: nothing of it may be touched. */
export class ForeignShoot extends Error {
  override readonly name = 'ForeignShoot';
  readonly temporary = false;
  readonly reason = 'foreign_shoot';
  readonly action = 'Order the runtime again: it gets another name.';

  constructor(shoot: string, runtimeId: string) {
    super(`the shoot ${shoot} does not belong to runtime ${runtimeId}`);
  }
}

const kubeconfigKey = memoryOf<Kubeconfig>('kubeconfig');

/**
 * An administrator's way into the cluster, asked for once in a run of the stage. Undefined while there is none: Gardener
 * calls the request invalid as long as the cluster is not up, or asleep.
 */
export async function theKubeconfig(
  { clients }: Services,
  { shootName }: Pick<Runtime, 'shootName'>,
  { memory, signal }: Context,
): Promise<Kubeconfig | undefined> {
  if (memory.has(kubeconfigKey)) return memory.get(kubeconfigKey);
  try {
    const found = await clients.gardener.shoots.adminKubeconfig(shootName, signal);
    if (found) memory.set(kubeconfigKey, found.kubeconfig);
    return found?.kubeconfig;
  } catch (error) {
    if (error instanceof SystemError && error.reason === 'Invalid') return undefined;
    throw error;
  }
}
