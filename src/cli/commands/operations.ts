import type { Command } from 'commander';
import {
  command,
  examples,
  many,
  watchOption,
  withOutput,
  withPaging,
  type PagingFlags,
} from '../command.ts';
import { followOperation } from '../follow-operation.ts';
import { operationPicture, timelineColumns } from '../operation-picture.ts';
import { paintedState, type Paint } from '../output/colours.ts';
import type { OutputFlags } from '../output/screen.ts';
import type { Column } from '../output/table.ts';
import { timeText } from '../output/times.ts';
import { usage } from '../problem.ts';
import type { Operation, OperationDetail, StepRun } from '../service/shapes.ts';
import { showPages } from '../show-pages.ts';
import type { Surroundings } from '../surroundings.ts';
import { acts, type Work } from '../work.ts';

type Flags = OutputFlags &
  PagingFlags & {
    readonly state?: readonly string[];
    readonly type?: readonly string[];
    readonly instanceId?: readonly string[];
    readonly runtimeId?: readonly string[];
    readonly account?: readonly string[];
    readonly orchestration?: readonly string[];
    readonly step?: readonly string[];
    readonly system?: readonly string[];
    readonly activity?: readonly string[];
    readonly sort?: string;
    readonly watch?: boolean;
  };

export const operations = (surroundings: Surroundings): Command =>
  withPaging(
    withOutput(
      command(
        'operations',
        'Lists operations, or tells all about one: stages, timeline, what it waits for.',
      ),
    ),
  )
    .aliases(['operation', 'op'])
    .argument(
      '[operation-id]',
      'one operation; "types" lists what can be run, with stages and steps',
    )
    .addOption(many('-S, --state <state>', 'pending, in progress, succeeded, failed or canceled'))
    .addOption(many('-t, --type <type>', 'provision, update, deprovision, …'))
    .addOption(many('-i, --instance-id <id>', 'instance'))
    .addOption(many('-r, --runtime-id <id>', 'runtime'))
    .addOption(many('-g, --account <id>', 'global account'))
    .addOption(many('--orchestration <id>', 'orchestration'))
    .addOption(many('--step <name>', 'those that are at this step'))
    .addOption(many('--system <name>', 'those that wait for this system'))
    .addOption(many('--activity <what>', 'waiting, retrying, running, queued or stuck'))
    .option('--sort <field>', 'as the service sorts; - in front: backwards')
    .addOption(watchOption())
    .addHelpText(
      'after',
      examples(
        ['kcp operations --activity stuck', 'what does not move'],
        ['kcp op --state failed --system gardener', 'what Gardener has spoiled'],
        ['kcp operations OPERATION_ID --watch', 'follow one until it has ended'],
        ['kcp operations types', 'stages and steps of everything that can be run'],
      ),
    )
    .action(
      acts<Flags>(surroundings, async (work, flags, [id]) => {
        if (id === 'types') return showTypes(work, flags);
        if (id !== undefined) return showOne(work, id, flags);
        if (flags.watch) throw usage('--watch needs the id of an operation');
        const query = {
          state: flags.state,
          type: flags.type,
          instance_id: flags.instanceId,
          runtime_id: flags.runtimeId,
          account: flags.account,
          orchestration_id: flags.orchestration,
          step: flags.step,
          system: flags.system,
          activity: flags.activity,
          sort: flags.sort,
        };
        const columns = operationColumns(work.screen.colour);
        return showPages<Operation>(work, work.broker(), ['/operations', query], columns, flags);
      }),
    );

const operationColumns = (colour: Paint): Column<Operation>[] => [
  { header: 'OPERATION ID', value: ({ operationID }) => operationID, least: 13 },
  { header: 'TYPE', value: ({ type }) => type },
  { header: 'INSTANCE ID', value: ({ instanceID, subject = '' }) => instanceID ?? subject },
  {
    header: 'STATE',
    value: ({ state }) => state,
    least: 11,
    colour: (text) => paintedState(text, colour),
  },
  { header: 'CREATED AT', value: ({ createdAt }) => timeText(createdAt), least: 19 },
  { header: 'STEP', value: ({ explanation }) => explanation.step ?? '' },
  { header: 'SUMMARY', value: ({ explanation }) => explanation.summary, least: 20 },
  {
    header: 'GLOBALACCOUNT ID',
    value: ({ globalAccountID = '' }) => globalAccountID,
    isWide: true,
  },
  {
    header: 'ATTEMPT',
    value: ({ explanation }) => String(explanation.attempt ?? ''),
    isWide: true,
  },
  { header: 'NEXT TRY', value: ({ explanation }) => timeText(explanation.nextTryAt), isWide: true },
  {
    header: 'ORCHESTRATION ID',
    value: ({ orchestrationID = '' }) => orchestrationID,
    isWide: true,
  },
];

async function showOne(work: Work, id: string, flags: Flags): Promise<void> {
  const { screen } = work;
  if (flags.watch) {
    const ended = await followOperation(work, id);
    if (flags.output === 'json') screen.json(ended);
    return;
  }
  const detail = await work.broker().get<OperationDetail>(`/operations/${encodeURIComponent(id)}`);
  if (flags.output !== undefined && flags.output !== 'table' && flags.output !== 'wide')
    return screen.show([detail], [], flags, detail);
  const { colour, width } = screen;
  screen.print(...operationPicture(detail, detail.stages, { colour, width, now: work.now() }), '');
  screen.show<StepRun>(detail.timeline, timelineColumns(colour), flags);
  if (detail.timeline.length < detail.timelineTotal)
    screen.note(`${detail.timeline.length} of ${detail.timelineTotal} runs of steps`);
}

type TypeRow = { type: string; stage: string; step: string; about: string; owner: string };
type OperationType = {
  readonly type: string;
  readonly stages: readonly {
    readonly name: string;
    readonly steps: readonly {
      readonly name: string;
      readonly about?: string;
      readonly owner?: string;
    }[];
  }[];
};

async function showTypes(work: Work, flags: Flags): Promise<void> {
  const types = await work.broker().get<readonly OperationType[]>('/operations/types');
  const rows = types.flatMap(({ type, stages }) =>
    stages.flatMap(({ name: stage, steps }) =>
      steps.map(({ name: step, about = '', owner = '' }) => ({ type, stage, step, about, owner })),
    ),
  );
  const columns: Column<TypeRow>[] = [
    { header: 'TYPE', value: ({ type }) => type },
    { header: 'STAGE', value: ({ stage }) => stage },
    { header: 'STEP', value: ({ step }) => step, least: 20 },
    { header: 'OWNER', value: ({ owner }) => owner },
    { header: 'ABOUT', value: ({ about }) => about },
  ];
  work.screen.show(rows, columns, flags, types);
}
