import type { Command } from 'commander';
import { command, examples, many, whole, withOutput } from '../command.ts';
import { paintedState, type Paint } from '../output/colours.ts';
import { outputFormat } from '../output/output-format.ts';
import type { OutputFlags } from '../output/screen.ts';
import { oneLine, type Column } from '../output/table.ts';
import { timeText } from '../output/times.ts';
import { sinceTime } from '../since-time.ts';
import type { StoredEvent } from '../service/shapes.ts';
import type { Surroundings } from '../surroundings.ts';
import { acts, type Work } from '../work.ts';

type Flags = OutputFlags & {
  readonly instanceId?: readonly string[];
  readonly runtimeId?: readonly string[];
  readonly operationId?: readonly string[];
  readonly since?: string;
  readonly limit?: number;
  readonly watch?: boolean;
};

export const events = (surroundings: Surroundings): Command =>
  withOutput(command('events', 'Tells what has happened, the oldest first.'))
    .alias('ev')
    .addOption(many('-i, --instance-id <id>', 'of these instances'))
    .addOption(many('-r, --runtime-id <id>', 'of these runtimes'))
    .addOption(many('--operation-id <id>', 'of these operations'))
    .option('--since <time>', '30m, 2h, 7d, or a time')
    .addOption(whole('--limit <number>', 'so many at most'))
    .option('-w, --watch', 'go on with what happens from now on, until Ctrl-C')
    .addHelpText(
      'after',
      examples(
        ['kcp events -i my-first', 'all about an instance'],
        ['kcp events --since 2h', 'the last two hours'],
        ['kcp events --watch', 'whatever happens'],
      ),
    )
    .action(
      acts<Flags>(surroundings, async (work, flags) => {
        if (flags.watch) return watch(work, flags);
        const { instanceId, runtimeId, operationId } = flags;
        const found = await work.broker().get<StoredEvent[]>('/events', {
          instance_ids: instanceId?.join(','),
          runtime_ids: runtimeId?.join(','),
          operation_ids: operationId?.join(','),
          since: sinceTime('--since', flags.since, work.now()),
          limit: flags.limit,
        });
        work.screen.show(found, columns(work.screen.colour), flags);
      }),
    );

const columns = (colour: Paint): Column<StoredEvent>[] => [
  { header: 'TIME', value: ({ CreatedAt }) => timeText(CreatedAt), least: 19 },
  {
    header: 'LEVEL',
    value: ({ Level }) => Level,
    least: 5,
    colour: (text) => paintedState(text, colour),
  },
  { header: 'INSTANCE ID', value: ({ InstanceID = '' }) => InstanceID },
  { header: 'OPERATION ID', value: ({ OperationID = '' }) => OperationID, isWide: true },
  { header: 'MESSAGE', value: ({ Message }) => Message, least: 30 },
];

/** News as they come, until the broker or the user ends it. */
async function watch(work: Work, { output, instanceId, operationId }: Flags): Promise<void> {
  const { screen } = work;
  const isJson = outputFormat(output).kind === 'json';
  const some = { instance_id: instanceId, operation_id: operationId };
  for await (const { event, data } of work.broker().events('/operations/stream', some)) {
    if (isJson) screen.print(JSON.stringify({ event, data }));
    else screen.print(newsLine(event, data as Record<string, unknown>, work.now())); // events are objects
  }
}

function newsLine(event: string, data: Readonly<Record<string, unknown>>, now: Date): string {
  if (event === 'gap') return 'something may have been missed here: look with kcp events';
  const text = (name: string) =>
    typeof data[name] === 'string' || typeof data[name] === 'number' ? String(data[name]) : '';
  const parts = [
    timeText(text('at') || text('CreatedAt') || now.toISOString()),
    text('instanceID') || text('InstanceID'),
    text('type'),
    text('Message') ||
      [text('kind'), text('step'), text('outcome'), text('state'), text('because')]
        .filter(Boolean)
        .join(' '),
  ];
  return oneLine(parts.filter(Boolean).join('  '));
}
