import { writeFile } from 'node:fs/promises';
import { Argument, type Command } from 'commander';
import { command, examples } from '../command.ts';
import { completionTree } from '../completion/completion-tree.ts';
import { scripts, type Shell } from '../completion/scripts.ts';
import { screenOf } from '../output/screen.ts';
import type { Surroundings } from '../surroundings.ts';

export const completion = (surroundings: Surroundings): Command =>
  command('completion', 'Writes a script that completes what you type.')
    .addArgument(new Argument('<shell>').choices(Object.keys(scripts)))
    .option('--o <file>', 'into this file instead of the screen')
    .addHelpText(
      'after',
      examples(
        ['source <(kcp completion bash)', 'in ~/.bashrc'],
        ['kcp completion zsh --o "${fpath[1]}/_kcp"', 'for zsh'],
        ['kcp completion fish | source', 'in config.fish'],
        [
          'kcp completion powershell | Out-String | Invoke-Expression',
          'in the profile of PowerShell',
        ],
      ),
    )
    .action(async function (this: Command, shell: Shell) {
      const screen = screenOf(surroundings);
      const script = scripts[shell](completionTree(this.parent ?? this));
      const { o: file } = this.opts<{ o?: string }>();
      if (file === undefined) return screen.print(script.trimEnd());
      await writeFile(file, script);
      screen.print(`completion for ${shell} is in ${file}`);
    });
