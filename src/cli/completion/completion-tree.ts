import type { Command } from 'commander';

/** What can be typed after a command: by its path, `kcp upgrade kyma`. */
export type CompletionNode = {
  readonly path: string;
  /** Names and aliases that lead here from the node above. */
  readonly names: readonly string[];
  readonly about: string;
  readonly subcommands: readonly string[];
  readonly flags: readonly CompletionFlag[];
  /** Fixed words that its arguments can be. */
  readonly words: readonly string[];
};
export type CompletionFlag = {
  readonly names: readonly string[];
  readonly about: string;
  readonly hasValue: boolean;
};

/** Arguments whose values are not choices of commander's, but words all the same. */
const fixedWords: Readonly<Record<string, readonly string[]>> = {
  'kcp orchestrations': ['ops', 'operations', 'cancel', 'retry', 'pause', 'resume', 'report'],
  'kcp operations': ['types'],
};

export function completionTree(root: Command): CompletionNode[] {
  const walk = (command: Command, above: string): CompletionNode[] => {
    const path = above === '' ? command.name() : `${above} ${command.name()}`;
    const own = command.commands.filter((each) => each.name() !== 'help');
    return [
      {
        path,
        names: [command.name(), ...command.aliases()],
        about: command.description(),
        subcommands: own.map((each) => each.name()),
        flags: command.options.map((option) => ({
          names: [option.short, option.long].filter((name) => name !== undefined),
          about: option.description,
          hasValue: option.required,
        })),
        words: [
          ...command.registeredArguments.flatMap(({ argChoices }) => argChoices ?? []),
          ...(fixedWords[path] ?? []),
        ],
      },
      ...own.flatMap((each) => walk(each, path)),
    ];
  };
  return walk(root, '');
}
