import { findRuntime } from './find-runtime.ts';
import { Problem, usage } from './problem.ts';
import { allOf } from './service/pages.ts';
import type { Runtime } from './service/shapes.ts';
import type { Work } from './work.ts';

/** How people name a cluster to a system that knows runtimes by their ids alone. */
export type OneCluster = { readonly runtimeId?: string; readonly shoot?: string };

/** Only for a shoot's name the broker is asked. */
export async function runtimeIdOf(work: Work, { runtimeId, shoot }: OneCluster): Promise<string> {
  if (Boolean(runtimeId) === Boolean(shoot))
    throw usage('which cluster? Give either --runtime-id or --shoot');
  if (runtimeId) return runtimeId;
  return idOf(await findRuntime(work, { shoot: shoot ?? '' }));
}

/** Undefined: all. */
export async function runtimeIdsOf(
  work: Work,
  runtimeIds: readonly string[] = [],
  shoots: readonly string[] = [],
): Promise<readonly string[] | undefined> {
  if (shoots.length === 0) return runtimeIds.length > 0 ? runtimeIds : undefined;
  const query = { shoot: shoots, op_detail: 'last' };
  const { data } = await allOf<Runtime>(work.broker(), '/runtimes', query);
  const unknown = shoots.filter((shoot) => !data.some(({ shootName }) => shootName === shoot));
  if (unknown.length > 0)
    throw new Problem(
      'notFound',
      `there is no runtime with shoot ${unknown.join(', ')} (kcp runtimes lists all)`,
    );
  return [...runtimeIds, ...data.map(idOf)];
}

function idOf({ runtimeID, shootName, instanceID }: Runtime): string {
  if (runtimeID) return runtimeID;
  throw new Problem('notFound', `the runtime of ${shootName ?? instanceID} has no id yet`);
}
