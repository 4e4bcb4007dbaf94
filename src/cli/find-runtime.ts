import { Problem, usage } from './problem.ts';
import { allOf } from './service/pages.ts';
import type { Runtime } from './service/shapes.ts';
import type { Work } from './work.ts';

/** How people name one runtime. */
export type OneRuntime = {
  readonly account?: string;
  readonly subaccount?: string;
  readonly runtimeId?: string;
  readonly shoot?: string;
  readonly instanceId?: string;
};

/** The one that is meant. None, or more than one, is a problem. */
export async function findRuntime(work: Work, one: OneRuntime): Promise<Runtime> {
  const { account, subaccount, runtimeId, shoot, instanceId } = one;
  const isEnough = shoot || instanceId || (account && (subaccount || runtimeId));
  if (!isEnough)
    throw usage(
      'which runtime? Give --account with --subaccount, --account with --runtime-id, --shoot, or --instance-id',
    );
  const query = { account, subaccount, runtime_id: runtimeId, shoot, instance_id: instanceId };
  const { data } = await allOf<Runtime>(
    work.broker(),
    '/runtimes',
    { ...query, op_detail: 'last' },
    3,
  );
  const [found, ...others] = data;
  const said = Object.entries(query)
    .filter(([, value]) => value)
    .map(([name, value]) => `${name} ${value}`)
    .join(', ');
  if (!found)
    throw new Problem('notFound', `there is no runtime with ${said} (kcp runtimes lists all)`);
  if (others.length > 0)
    throw usage(`there are several runtimes with ${said}: name one by --shoot or --instance-id`);
  return found;
}
