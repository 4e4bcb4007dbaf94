import type { Command } from 'commander';
import { command, examples, watchOption, yesOption } from '../command.ts';
import { followOperation } from '../follow-operation.ts';
import type { Surroundings } from '../surroundings.ts';
import { acts, type Work } from '../work.ts';

type Flags = {
  readonly because?: string;
  readonly dryRun?: boolean;
  readonly yes?: boolean;
  readonly watch?: boolean;
};
type Effect = { readonly operationID: string; readonly effect: string; readonly dryRun?: boolean };

const common = (name: string, about: string) =>
  command(name, about)
    .argument('<operation-id>')
    .option('--because <reason>', 'why; kept in the audit log')
    .option('--dry-run', 'say what would happen, and do nothing')
    .addOption(yesOption())
    .addOption(watchOption());

export const retry = (surroundings: Surroundings): Command =>
  common(
    'retry',
    'Tries an operation again: a waiting one now, a failed one from the stage where it failed.',
  )
    .addHelpText(
      'after',
      examples(
        ['kcp retry OPERATION_ID --dry-run', 'what would it do?'],
        ['kcp retry OPERATION_ID --watch', 'and follow it'],
      ),
    )
    .action(
      acts<Flags>(surroundings, (work, flags, [id = '']) => steer(work, id, 'retry', {}, flags)),
    );

export const skip = (surroundings: Surroundings): Command =>
  common('skip', 'Leaves out a step of an operation, on record.')
    .argument('<step>')
    .addHelpText(
      'after',
      examples([
        'kcp skip OPERATION_ID EDP_Registration --because "EDP is gone"',
        'go on without EDP',
      ]),
    )
    .action(
      acts<Flags>(surroundings, (work, flags, [id = '', step = '']) =>
        steer(work, id, 'skip', { step }, flags),
      ),
    );

export const unskip = (surroundings: Surroundings): Command =>
  common('unskip', 'Has a step done after all that was to be left out, if its turn has not come.')
    .argument('<step>')
    .addHelpText(
      'after',
      examples(['kcp unskip OPERATION_ID EDP_Registration --dry-run', 'is it still possible?']),
    )
    .action(
      acts<Flags>(surroundings, (work, flags, [id = '', step = '']) =>
        steer(work, id, 'unskip', { step }, flags),
      ),
    );

export const cancel = (surroundings: Surroundings): Command =>
  common('cancel', 'Ends an operation at its next step.')
    .addHelpText(
      'after',
      examples(['kcp cancel OPERATION_ID --because "wrong region" --yes', 'without being asked']),
    )
    .action(
      acts<Flags>(surroundings, (work, flags, [id = '']) => steer(work, id, 'cancel', {}, flags)),
    );

/** First what it would do, by a dry run; then, if that is wanted, for real. */
async function steer(
  work: Work,
  id: string,
  action: 'retry' | 'skip' | 'unskip' | 'cancel',
  more: { readonly step?: string },
  { because, dryRun, yes, watch }: Flags,
): Promise<void> {
  const { screen } = work;
  const broker = work.broker();
  const path = `/operations/${encodeURIComponent(id)}/${action}`;
  const body = { ...more, because: because ?? `asked for with kcp ${action}` };
  const preview = await broker.send<Effect>('POST', path, { ...body, dryRun: true });
  if (dryRun) return screen.print(`would do: ${preview.effect}`);
  await screen.confirm(`${action} ${id}: ${preview.effect}.`, yes);
  const { effect } = await broker.send<Effect>('POST', path, body);
  screen.print(effect);
  if (watch) await followOperation(work, id);
}
