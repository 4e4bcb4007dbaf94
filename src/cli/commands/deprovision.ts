import { Option, type Command } from 'commander';
import { command, examples, yesOption } from '../command.ts';
import { findRuntime, type OneRuntime } from '../find-runtime.ts';
import { followOperation } from '../follow-operation.ts';
import { Problem } from '../problem.ts';
import { runtimeColumns } from '../runtime-columns.ts';
import type { Surroundings } from '../surroundings.ts';
import { acts } from '../work.ts';

type Flags = OneRuntime & {
  readonly shootName?: string;
  readonly yes?: boolean;
  readonly dryRun?: boolean;
  readonly wait?: boolean;
};

export const deprovision = (surroundings: Surroundings): Command =>
  command('deprovision', 'Removes a runtime, and all that belongs to it.')
    .alias('d')
    .option('-g, --account <id>', 'global account; with --subaccount or --runtime-id')
    .option('-s, --subaccount <id>', 'subaccount')
    .option('-r, --runtime-id <id>', 'runtime')
    .option('-c, --shootName <name>', 'name of the shoot')
    .addOption(new Option('--shoot <name>', 'the same').hideHelp())
    .option('-i, --instance-id <id>', 'instance')
    .option('--dry-run', 'show which one it would be, and remove nothing')
    .option('-w, --wait', 'follow it until the runtime is gone')
    .addOption(yesOption())
    .addHelpText(
      'after',
      examples(
        ['kcp deprovision -c c-1a2b3c4', 'by the name of its shoot'],
        ['kcp d -g ga-1 -s sa-1 --yes --wait', 'without being asked, and wait until it is gone'],
      ),
    )
    .action(
      acts<Flags>(surroundings, async (work, flags) => {
        const { screen } = work;
        const shoot = flags.shoot ?? flags.shootName;
        const runtime = await findRuntime(work, {
          ...flags,
          ...(shoot !== undefined && { shoot }),
        });
        const { instanceID, serviceClassID, servicePlanID } = runtime;
        screen.show([runtime], runtimeColumns(screen.colour), {});
        if (flags.dryRun) return screen.print(`would remove instance ${instanceID}`);
        await screen.confirm(`Remove instance ${instanceID} and everything in it?`, flags.yes);
        const path = `/oauth/v2/service_instances/${encodeURIComponent(instanceID)}`;
        const { operation } = await work
          .orders()
          .send<{ operation?: string }>('DELETE', path, undefined, {
            service_id: serviceClassID,
            plan_id: servicePlanID,
            accepts_incomplete: true,
          });
        if (operation === undefined)
          throw new Problem('error', `the broker began no removal of instance ${instanceID}`);
        screen.print(`OperationID: ${operation}`);
        if (flags.wait) await followOperation(work, operation);
      }),
    );
