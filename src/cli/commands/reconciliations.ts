import type { Command } from 'commander';
import { command, examples, many, whole, withOutput } from '../command.ts';
import type { OutputFlags } from '../output/screen.ts';
import { usage } from '../problem.ts';
import {
  clusterStateIn,
  infoIn,
  reconciliationsIn,
  withoutSecrets,
} from '../reconciler-answers.ts';
import {
  clusterStateColumns,
  componentColumns,
  reconciliationColumns,
} from '../reconciliation-columns.ts';
import { runtimeIdOf, runtimeIdsOf, type OneCluster } from '../runtime-ids.ts';
import { shownTime } from '../since-time.ts';
import type { Surroundings } from '../surroundings.ts';
import { acts } from '../work.ts';
import { debug, disable, enable, operation, purge } from './steer-reconciliations.ts';

type Flags = OutputFlags & {
  readonly runtimeId?: readonly string[];
  readonly shoot?: readonly string[];
  readonly status?: readonly string[];
  readonly before?: string;
  readonly after?: string;
  readonly last?: number;
};
type StateFlags = OutputFlags &
  OneCluster & { readonly correlationId?: string; readonly schedulingId?: string };

const statuses = [
  'ready',
  'error',
  'reconcile_error_retryable',
  'reconcile_pending',
  'reconciling',
  'reconcile_disabled',
  'delete_pending',
  'deleting',
  'delete_error',
  'delete_error_retryable',
  'deleted',
];
const timeHelp = 'YYYY/MM/DD hh:mm:ss, one of both, 2h (ago) or a time in RFC 3339';

export const reconciliations = (surroundings: Surroundings): Command =>
  withOutput(command('reconciliations', 'Lists how the Reconciler installs Kyma, and steers it.'))
    .aliases(['reconciliation', 'rc'])
    .addOption(many('-r, --runtime-id <id>', 'runtime'))
    .addOption(many('-c, --shoot <name>', 'name of the shoot'))
    .addOption(many('-S, --status <status>', `one of ${statuses.join(', ')}`))
    .option('--before <time>', `created before: ${timeHelp}`)
    .option('--after <time>', 'created after; the same')
    .addOption(whole('--last <number>', 'only so many, the latest ones'))
    .addHelpText(
      'after',
      examples(
        [
          'kcp reconciliations --status error,reconciling --after 24h',
          'what goes on or went wrong',
        ],
        ['kcp rc -c c-1a2b3c4 --last 1', 'the latest one of a runtime'],
        ['kcp rc info -i SCHEDULING_ID', 'its components, and why one failed'],
        ['kcp rc state -c c-1a2b3c4 -o wide', 'what the cluster is to have, and whether it has it'],
        ['kcp rc disable -c c-1a2b3c4', 'leave the cluster alone until enable'],
      ),
    )
    .action(
      acts<Flags>(surroundings, async (work, flags) => {
        for (const each of flags.status ?? [])
          if (!statuses.includes(each))
            throw usage(`--status is ${each}: allowed are ${statuses.join(', ')}`);
        const query = {
          status: flags.status,
          before: shownTime('--before', flags.before, work.now()),
          after: shownTime('--after', flags.after, work.now()),
          last: flags.last,
        };
        const reconciler = work.reconciler();
        const runtimeID = await runtimeIdsOf(work, flags.runtimeId, flags.shoot);
        const answer = await reconciler.get('/reconciliations', { ...query, runtimeID });
        const found = reconciliationsIn(answer).toSorted(
          (a, b) => Date.parse(a.created) - Date.parse(b.created),
        );
        work.screen.show(found, reconciliationColumns(work.screen.colour), flags);
      }),
    )
    .addCommand(state(surroundings))
    .addCommand(info(surroundings))
    .addCommand(disable(surroundings))
    .addCommand(enable(surroundings))
    .addCommand(operation(surroundings))
    .addCommand(debug(surroundings))
    .addCommand(purge(surroundings));

const state = (surroundings: Surroundings): Command =>
  withOutput(command('state', 'Shows what a cluster is to have, and its status.'))
    .alias('s')
    .option('-r, --runtime-id <id>', 'runtime')
    .option('-c, --shoot <name>', 'name of the shoot')
    .option('--scheduling-id <id>', 'a reconciliation of it')
    .option('--correlation-id <id>', 'an operation of a reconciliation of it')
    .action(
      acts<StateFlags>(surroundings, async (work, flags) => {
        const { schedulingId: schedulingID, correlationId: correlationID } = flags;
        const given = [flags.runtimeId, flags.shoot, schedulingID, correlationID];
        if (given.filter(Boolean).length !== 1)
          throw usage(
            'which cluster? Give one of --runtime-id, --shoot, --scheduling-id and --correlation-id',
          );
        const reconciler = work.reconciler();
        const runtimeID =
          schedulingID || correlationID ? undefined : await runtimeIdOf(work, flags);
        const query = { runtimeID, schedulingID, correlationID };
        const found = withoutSecrets(
          clusterStateIn(await reconciler.get('/clusters/state', query)),
        );
        work.screen.show([found], clusterStateColumns(work.screen.colour), flags, found);
      }),
    );

const info = (surroundings: Surroundings): Command =>
  withOutput(command('info', 'Shows the operations of a reconciliation, one for each component.'))
    .alias('i')
    .requiredOption('-i, --scheduling-id <id>', 'which reconciliation')
    .action(
      acts<OutputFlags & { schedulingId: string }>(surroundings, async (work, flags) => {
        const reconciler = work.reconciler();
        const path = `/reconciliations/${encodeURIComponent(flags.schedulingId)}/info`;
        const found = infoIn(await reconciler.get(path));
        const rows = found.operations.toSorted((a, b) => a.priority - b.priority);
        const columns = componentColumns(work.screen.colour);
        if (flags.output !== 'json') return work.screen.show(rows, columns, flags);
        const { runtimeID, configVersion = 0 } = found;
        const kymaConfig = await reconciler.get<unknown>(
          `/clusters/${encodeURIComponent(runtimeID)}/config/${configVersion}`,
        );
        return work.screen.json({ ...found, kymaConfig: withoutSecrets(kymaConfig) });
      }),
    );
