import type { Command } from 'commander';
import { command, yesOption } from '../command.ts';
import { Problem } from '../problem.ts';
import {
  infoIn,
  reconciliationsIn,
  statusIn,
  type ComponentOperation,
} from '../reconciler-answers.ts';
import { runtimeIdOf, type OneCluster } from '../runtime-ids.ts';
import type { Surroundings } from '../surroundings.ts';
import { acts, type Work } from '../work.ts';

type Careful = { readonly dryRun?: boolean; readonly yes?: boolean };
type ClusterFlags = OneCluster & Careful & { readonly force?: boolean };
type ReconciliationFlags = Careful & { readonly schedulingId: string };
type OperationFlags = ReconciliationFlags & {
  readonly correlationId: string;
  readonly because?: string;
};

const careful = (to: Command): Command =>
  to.option('--dry-run', 'say what would happen, and do nothing').addOption(yesOption());
const ofCluster = (name: string, about: string): Command =>
  careful(command(name, about))
    .option('-r, --runtime-id <id>', 'runtime')
    .option('-c, --shoot <name>', 'name of the shoot');
const ofReconciliation = (name: string, about: string): Command =>
  careful(command(name, about)).requiredOption('-s, --scheduling-id <id>', 'which reconciliation');
const ofOperation = (name: string, about: string): Command =>
  ofReconciliation(name, about).requiredOption(
    '-c, --correlation-id <id>',
    'which operation of it',
  );

export const disable = (surroundings: Surroundings): Command =>
  ofCluster('disable', 'Leaves a cluster alone until it is enabled, whatever is ordered for it.')
    .alias('d')
    .action(
      acts<ClusterFlags>(surroundings, async (work, flags) => {
        const { id, status } = await clusterOf(work, flags);
        if (status === 'reconcile_disabled')
          return work.screen.print(`cluster ${id} is disabled already: nothing to do`);
        return change(work, flags, {
          effect: `disable reconciliations of cluster ${id} (${status} now)`,
          act: () => giveStatus(work, id, 'reconcile_disabled'),
          said: `reconciliations of cluster ${id} are disabled`,
        });
      }),
    );

export const enable = (surroundings: Surroundings): Command =>
  ofCluster('enable', 'Lets the Reconciler look after a cluster again.')
    .alias('e')
    .option('-f, --force', 'begin a reconciliation at once')
    .action(
      acts<ClusterFlags>(surroundings, async (work, flags) => {
        const { id, status } = await clusterOf(work, flags);
        const isDisabled = status === 'reconcile_disabled';
        if (!isDisabled && !flags.force)
          return work.screen.print(
            `cluster ${id} is not disabled (${status}): nothing to do; --force begins a reconciliation`,
          );
        const begun = flags.force ? ', and begin one at once' : '';
        return change(work, flags, {
          effect: `enable reconciliations of cluster ${id} (${status} now)${begun}`,
          act: () => giveStatus(work, id, flags.force ? 'reconcile_pending' : 'ready'),
          said: `reconciliations of cluster ${id} are enabled${flags.force ? ', and one begins' : ''}`,
        });
      }),
    );

export const purge = (surroundings: Surroundings): Command =>
  ofCluster(
    'purge',
    'Removes the reconciliations of a cluster; the cluster stays as it is.',
  ).action(
    acts<ClusterFlags>(surroundings, async (work, flags) => {
      const reconciler = work.reconciler();
      const runtimeID = await runtimeIdOf(work, flags);
      const found = reconciliationsIn(await reconciler.get('/reconciliations', { runtimeID }));
      if (found.length === 0)
        throw new Problem('notFound', `there are no reconciliations of cluster ${runtimeID}`);
      return change(work, flags, {
        effect: `remove ${found.length} reconciliation(s) of cluster ${runtimeID}`,
        act: () => reconciler.send('DELETE', `/reconciliations/cluster/${encode(runtimeID)}`),
        said: `${found.length} reconciliation(s) of cluster ${runtimeID} are removed`,
      });
    }),
  );

export const debug = (surroundings: Surroundings): Command =>
  ofReconciliation(
    'debug',
    'Lets the logs of all operations of a reconciliation tell more.',
  ).action(
    acts<ReconciliationFlags>(surroundings, async (work, flags) => {
      const { schedulingID, operations } = await infoOf(work, flags);
      return change(work, flags, {
        effect: `write more into the logs of ${operations.length} operation(s) of ${schedulingID}`,
        act: () => work.reconciler().send('PUT', `/reconciliations/${encode(schedulingID)}/debug`),
        said: `the logs of ${operations.length} operation(s) of ${schedulingID} tell more`,
      });
    }),
  );

export const operation = (surroundings: Surroundings): Command =>
  command('operation', 'Steers one operation of a reconciliation.')
    .addCommand(
      ofOperation('stop', 'Leaves out an operation that has not begun.')
        .option('--because <reason>', 'why; kept with the operation')
        .action(
          acts<OperationFlags>(surroundings, async (work, flags) => {
            const { component, state } = await operationOf(work, flags);
            if (state !== 'new')
              throw new Problem(
                'error',
                `the operation for ${component} is ${state}: only a new one can be stopped`,
              );
            return change(work, flags, {
              effect: `leave out ${component} in ${flags.schedulingId}`,
              act: () =>
                work.reconciler().send('POST', pathOf(flags, 'stop'), {
                  reason: flags.because ?? 'stopped with kcp',
                }),
              said: `${component} is left out in ${flags.schedulingId}`,
            });
          }),
        ),
    )
    .addCommand(
      ofOperation('debug', 'Lets the logs of an operation tell more.').action(
        acts<OperationFlags>(surroundings, async (work, flags) => {
          const { component } = await operationOf(work, flags);
          return change(work, flags, {
            effect: `write more into the logs of ${component} in ${flags.schedulingId}`,
            act: () => work.reconciler().send('PUT', pathOf(flags, 'debug')),
            said: `the logs of ${component} in ${flags.schedulingId} tell more`,
          });
        }),
      ),
    );

type Change = {
  readonly effect: string;
  readonly act: () => Promise<unknown>;
  readonly said: string;
};

async function change({ screen }: Work, { dryRun, yes }: Careful, { effect, act, said }: Change) {
  if (dryRun) return screen.print(`would ${effect}`);
  await screen.confirm(`${effect.charAt(0).toUpperCase()}${effect.slice(1)}?`, yes);
  await act();
  return screen.print(said);
}

const encode = encodeURIComponent;
const pathOf = ({ schedulingId, correlationId }: OperationFlags, action: string) =>
  `/operations/${encode(schedulingId)}/${encode(correlationId)}/${action}`;
const statusPath = (id: string) => `/clusters/${encode(id)}/status`;
const giveStatus = (work: Work, id: string, status: string) =>
  work.reconciler().send('PUT', statusPath(id), { status });
const infoOf = async (work: Work, { schedulingId }: ReconciliationFlags) =>
  infoIn(await work.reconciler().get(`/reconciliations/${encode(schedulingId)}/info`));

/** One that is being removed would come back: it is left as it is. */
async function clusterOf(work: Work, flags: OneCluster) {
  const reconciler = work.reconciler();
  const id = await runtimeIdOf(work, flags);
  const status = statusIn(await reconciler.get(statusPath(id)));
  if (status.startsWith('delet'))
    throw new Problem('error', `cluster ${id} is being removed (${status}): nothing was done`);
  return { id, status };
}

async function operationOf(work: Work, flags: OperationFlags): Promise<ComponentOperation> {
  const { operations } = await infoOf(work, flags);
  const found = operations.find(({ correlationID }) => correlationID === flags.correlationId);
  if (found) return found;
  throw new Problem(
    'notFound',
    `reconciliation ${flags.schedulingId} has no operation ${flags.correlationId} (kcp rc info lists them)`,
  );
}
