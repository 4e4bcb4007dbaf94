import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Command } from 'commander';
import { command, examples, yesOption } from '../command.ts';
import { findRuntime, type OneRuntime } from '../find-runtime.ts';
import { fetchKubeconfig } from '../fetch-kubeconfig.ts';
import { hasEuAccess } from '../runtime-columns.ts';
import { writeForOwner } from '../settings/config-file.ts';
import type { Surroundings } from '../surroundings.ts';
import { acts } from '../work.ts';

type Flags = OneRuntime & { readonly output?: string; readonly yes?: boolean };

export const kubeconfig = (surroundings: Surroundings): Command =>
  command('kubeconfig', "Fetches a runtime's kubeconfig, with which kubectl asks who you are.")
    .alias('kc')
    .option('-o, --output <path>', 'file or directory; - prints it. By default <shoot>.yaml here')
    .option('-g, --account <id>', 'global account; with --subaccount or --runtime-id')
    .option('-s, --subaccount <id>', 'subaccount')
    .option('-r, --runtime-id <id>', 'runtime')
    .option('-c, --shoot <name>', 'name of the shoot')
    .option('-i, --instance-id <id>', 'instance')
    .addOption(yesOption())
    .addHelpText(
      'after',
      examples(
        ['kcp kubeconfig -c c-1a2b3c4', 'as c-1a2b3c4.yaml'],
        ['kcp kc -g ga-1 -s sa-1 -o -', 'on the screen'],
      ),
    )
    .action(
      acts<Flags>(surroundings, async (work, flags) => {
        const runtime = await findRuntime(work, flags);
        if (hasEuAccess(runtime))
          await work.screen.confirm(
            `Runtime ${runtime.shootName ?? runtime.instanceID} is for people in the EU alone. Are you, and go on?`,
            flags.yes,
          );
        const text = await fetchKubeconfig(work, runtime.instanceID);
        if (flags.output === '-') return work.screen.print(text.trimEnd());
        const name = `${(runtime.shootName ?? runtime.instanceID).replaceAll(/[^\w.-]/g, '_')}.yaml`;
        const path = await placeFor(flags.output ?? '.', name);
        await writeForOwner(path, text);
        work.screen.print(`kubeconfig saved to ${path}`);
      }),
    );

async function placeFor(wanted: string, name: string): Promise<string> {
  try {
    return (await stat(wanted)).isDirectory() ? join(wanted, name) : wanted;
  } catch {
    return wanted; // not there yet: a file to be
  }
}
