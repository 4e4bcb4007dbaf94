import { join } from 'node:path';
import { format } from 'prettier';
import type { OperationDefinition, RetryPolicy } from '#engine';
import { inWords } from '#time';
import { startBroker } from '../src/broker/testing.ts';
import { startProvisioner } from '../src/provisioner/testing.ts';

/** What is kept under version control. */
export const tableFile = join(import.meta.dirname, '../docs/operations.md');

/** By service, as their engines know them. */
export type Registered = Readonly<Record<string, readonly OperationDefinition[]>>;

export async function registeredOperations(): Promise<Registered> {
  await using broker = await startBroker();
  const { landscape } = broker;
  await using provisioner = await startProvisioner({ landscape });
  const of = ({ engine: { definitions } }: Pick<typeof broker, 'engine'>) =>
    definitions.types.map((type) => definitions.get(type));
  return { Broker: of(broker), Provisioner: of(provisioner) };
}

const introduction = `# Operations, step by step

What each operation does, in which order, on which condition, and how long it tries. A stage is a checkpoint: once all its
steps are done it is never entered again; when a step waits or fails for a while, its stage starts over. Domain and owner
say whom to ask when a step is stuck.

Written by \`npm run operations\` from the registered operations, with the default limits; do not edit. In the column
_limit_, "every" is the first pause after an error, and "for" the time from a step's first run, waiting included. Where none
is named, the limit of the operation is the only one. A step that is _left behind_ at its limit stays on record as not
completed, and the operation goes on without it; any other one fails the operation.
`;

/** docs/operations.md as it should be. */
export function operationsTable(registered: Registered): Promise<string> {
  const sections = Object.entries(registered).flatMap(([service, definitions]) => [
    `## ${service}`,
    ...definitions.map(sectionOf),
  ]);
  return format([introduction, ...sections].join('\n\n'), { parser: 'markdown' });
}

function sectionOf({ type, timeLimit, stages }: OperationDefinition): string {
  const head = ['stage', 'step', 'domain', 'owner', 'condition', 'limit', 'description'];
  const rows = stages.flatMap(({ name: stage, steps }) =>
    steps.map(({ name, domain = '', owner = '', conditions = [], retry, about = '' }) => [
      code(stage),
      code(name),
      domain,
      owner,
      conditions.map((each) => each.name).join(', and '),
      limitOf(retry),
      about,
    ]),
  );
  const table = [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`);
  return `### ${code(type)}\n\nIt may take ${inWords(timeLimit)}.\n\n${table.join('\n')}`;
}

function limitOf({ every, within, attempts, otherwise = 'fail' }: RetryPolicy = {}): string {
  const limits = [
    ...(within === undefined ? [] : [inWords(within)]),
    ...(attempts === undefined ? [] : [`${attempts} errors in a row`]),
  ];
  return [
    ...(every === undefined ? [] : [`every ${inWords(every)}`]),
    ...(limits.length === 0 ? [] : [`for ${limits.join(' or ')}`]),
    ...(otherwise === 'go on' ? ['then left behind'] : []),
  ].join(', ');
}

const code = (text: string) => `\`${text}\``;
