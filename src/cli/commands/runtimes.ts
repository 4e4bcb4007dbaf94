import type { Command } from 'commander';
import {
  command,
  examples,
  limitOf,
  many,
  withOutput,
  withPaging,
  type PagingFlags,
} from '../command.ts';
import { eventTree, eventLevels } from '../event-tree.ts';
import { usage } from '../problem.ts';
import type { OutputFlags } from '../output/screen.ts';
import { runtimeColumns } from '../runtime-columns.ts';
import { allOf } from '../service/pages.ts';
import type { Query } from '../service/service.ts';
import type { Runtime, StoredEvent } from '../service/shapes.ts';
import { showPages } from '../show-pages.ts';
import type { Surroundings } from '../surroundings.ts';
import { acts } from '../work.ts';

type Flags = OutputFlags &
  PagingFlags & {
    readonly shoot?: readonly string[];
    readonly account?: readonly string[];
    readonly subaccount?: readonly string[];
    readonly instanceId?: readonly string[];
    readonly runtimeId?: readonly string[];
    readonly region?: readonly string[];
    readonly plan?: readonly string[];
    readonly state?: readonly string[];
    readonly ops?: boolean;
    readonly kymaConfig?: boolean;
    readonly clusterConfig?: boolean;
    readonly expired?: boolean;
    readonly events?: string | boolean;
    readonly subscriptionGlobalAccountId?: boolean;
    readonly search?: string;
    readonly sort?: string;
    readonly attention?: string;
  };

const states = [
  'succeeded',
  'failed',
  'error',
  'provisioning',
  'deprovisioning',
  'upgrading',
  'updating',
  'suspended',
  'deprovisioned',
  'deprovisionincomplete',
  'all',
];
/** Above this, nobody reads the events of each. */
const mostWithEvents = 100;

export const runtimes = (surroundings: Surroundings): Command =>
  withPaging(withOutput(command('runtimes', 'Lists runtimes. The first page is there at once.')))
    .aliases(['runtime', 'rt'])
    .addOption(many('-c, --shoot <name>', 'name of the shoot'))
    .addOption(many('-g, --account <id>', 'global account'))
    .addOption(many('-s, --subaccount <id>', 'subaccount'))
    .addOption(many('-i, --instance-id <id>', 'instance'))
    .addOption(many('-r, --runtime-id <id>', 'runtime'))
    .addOption(many('-R, --region <name>', 'region of the provider'))
    .addOption(many('-p, --plan <name>', 'plan'))
    .addOption(many('-S, --state <state>', `one of ${states.join(', ')}`))
    .option('--ops', 'all operations of each, and its Kyma version')
    .option('--kyma-config', 'with the last stored configuration of Kyma (-o json)')
    .option('--cluster-config', 'with the last stored configuration of the cluster (-o json)')
    .option('--expired', 'only those that have expired')
    .option('--events [level]', `what happened to each, as a tree: ${eventLevels.join(', ')}`)
    .option('--subscription-global-account-id', 'with the account of the subscription')
    .option('--search <text>', 'part of an id, a name, a shoot or an account')
    .option(
      '--sort <field>',
      'createdAt, modifiedAt, region, plan, account, shoot or state; - in front: backwards',
    )
    .option('--attention <kind>', 'only those that need somebody: retrying, stuck or residue')
    .addHelpText(
      'after',
      examples(
        ['kcp runtimes', 'the first hundred'],
        ['kcp rt --state failed,error -o wide', 'what went wrong, and what was left of it'],
        ['kcp rt -g ga-1 --ops --events=error', 'errors of all operations of an account'],
        ['kcp rt --attention stuck --all', 'all that do not move'],
        ['kcp rt -o custom-columns=ID:instanceID,STATE:status.state', 'columns of your own'],
      ),
    )
    .action(
      acts<Flags>(surroundings, async (work, flags) => {
        checkStates(flags);
        const broker = work.broker();
        const level = levelOf(flags.events);
        const withOperations = flags.ops === true || level !== undefined;
        const query = queryOf(flags, withOperations);
        const columns = runtimeColumns(work.screen.colour, {
          withVersion: withOperations,
          withSubscription: flags.subscriptionGlobalAccountId === true,
        });
        if (level === undefined)
          return showPages<Runtime>(work, broker, ['/runtimes', query], columns, flags);
        const found = await allOf<Runtime>(broker, '/runtimes', query, limitOf(flags));
        if (found.data.length > mostWithEvents) {
          work.screen.note(
            `events are shown for at most ${mostWithEvents} runtimes; there are ${found.data.length}`,
          );
          return work.screen.show(found.data, columns, flags, found);
        }
        const ids = found.data.map(({ instanceID }) => instanceID).join(',');
        const events = ids ? await broker.get<StoredEvent[]>('/events', { instance_ids: ids }) : [];
        if (flags.output === 'json') return work.screen.json({ ...found, events });
        for (const runtime of found.data) {
          work.screen.show([runtime], columns, {
            ...flags,
            ...(runtime !== found.data[0] && { headers: false }),
          });
          work.screen.print(...eventTree(runtime, events, level, work.screen.colour, work.now()));
        }
      }),
    );

function queryOf(flags: Flags, withOperations: boolean): Query {
  return {
    shoot: flags.shoot,
    account: flags.account,
    subaccount: flags.subaccount,
    instance_id: flags.instanceId,
    runtime_id: flags.runtimeId,
    region: flags.region,
    plan: flags.plan,
    state: flags.state,
    expired: flags.expired,
    kyma_config: flags.kymaConfig,
    cluster_config: flags.clusterConfig,
    op_detail: withOperations ? 'all' : 'last',
    search: flags.search,
    sort: flags.sort,
    attention: flags.attention,
  };
}

function checkStates({ state = [], instanceId = [] }: Flags): void {
  for (const each of state)
    if (!states.includes(each)) throw usage(`--state is ${each}: allowed are ${states.join(', ')}`);
  if (state.includes('deprovisioned') && instanceId.length === 0)
    throw usage('--state deprovisioned needs --instance-id: what is gone is found by its id alone');
}

function levelOf(events: string | boolean | undefined): string | undefined {
  if (events === undefined || events === false || events === 'none') return undefined;
  const level = events === true ? 'all' : events;
  if (!(eventLevels as readonly string[]).includes(level))
    throw usage(`--events is ${level}: allowed are ${eventLevels.join(', ')}`);
  return level;
}
