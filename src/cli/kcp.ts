import { CommanderError, Option, type Command } from 'commander';
import { command, examples } from './command.ts';
import { exitCodes, Problem } from './problem.ts';
import { aboutSetting, settingNames, variableOf } from './settings/setting-names.ts';
import type { Surroundings } from './surroundings.ts';

type MakeCommand = (surroundings: Surroundings) => Command;

/** By the words that call them. Only what is called is loaded: most of a short command's time goes into that. */
const commands: readonly (readonly [words: readonly string[], load: () => Promise<MakeCommand>])[] =
  [
    [['login', 'l'], async () => (await import('./commands/login.ts')).login],
    [['logout'], async () => (await import('./commands/login.ts')).logout],
    [['token'], async () => (await import('./commands/login.ts')).token],
    [['config'], async () => (await import('./commands/config.ts')).config],
    [['runtimes', 'runtime', 'rt'], async () => (await import('./commands/runtimes.ts')).runtimes],
    [
      ['operations', 'operation', 'op'],
      async () => (await import('./commands/operations.ts')).operations,
    ],
    [['retry'], async () => (await import('./commands/steer-operation.ts')).retry],
    [['skip'], async () => (await import('./commands/steer-operation.ts')).skip],
    [['unskip'], async () => (await import('./commands/steer-operation.ts')).unskip],
    [['cancel'], async () => (await import('./commands/steer-operation.ts')).cancel],
    [['provision', 'p'], async () => (await import('./commands/provision.ts')).provision],
    [['deprovision', 'd'], async () => (await import('./commands/deprovision.ts')).deprovision],
    [['kubeconfig', 'kc'], async () => (await import('./commands/kubeconfig.ts')).kubeconfig],
    [['upgrade', 'u'], async () => (await import('./commands/upgrade.ts')).upgrade],
    [
      ['orchestrations', 'orchestration', 'o'],
      async () => (await import('./commands/orchestrations.ts')).orchestrations,
    ],
    [
      ['reconciliations', 'reconciliation', 'rc'],
      async () => (await import('./commands/reconciliations.ts')).reconciliations,
    ],
    [['taskrun', 'task', 't'], async () => (await import('./commands/taskrun.ts')).taskrun],
    [['events', 'ev'], async () => (await import('./commands/events.ts')).events],
    [['errors'], async () => (await import('./commands/errors.ts')).errors],
    [['jobs', 'job'], async () => (await import('./commands/jobs.ts')).jobs],
    [['audit'], async () => (await import('./commands/audit.ts')).audit],
    [['completion'], async () => (await import('./commands/completion.ts')).completion],
    [['version'], async () => (await import('./commands/version.ts')).version],
  ];
/** These speak of all the others. */
const needAll = ['completion'];

/** Runs one command line, without the program's name. Gives the exit code; never throws for what a user may meet. */
export async function runKcp(line: readonly string[], surroundings: Surroundings): Promise<number> {
  try {
    const kcp = await kcpCommand(surroundings, line);
    await kcp.parseAsync([...line], { from: 'user' });
    return exitCodes.fine[0];
  } catch (error) {
    return tell(error, line, surroundings);
  }
}

/** kcp as commander sees it, with the commands that the line may call; with all of them if it calls none. */
export async function kcpCommand(
  surroundings: Surroundings,
  line: readonly string[] = [],
): Promise<Command> {
  const { output, notes } = surroundings;
  const kcp = command('kcp', 'Watches and steers managed Kyma runtimes.')
    .version(surroundings.version, '--version', 'print the version of kcp')
    .addHelpText(
      'after',
      [
        '\nEvery global option is also read from KCP_<UPPER_SNAKE>, for example KCP_KEB_API_URL, and from the config file:',
        '--config, else KCPCONFIG, else ~/.kcp/config.yaml. NO_COLOR switches colours off.',
        '\nExit codes:',
        ...Object.values(exitCodes).map(
          ([code, meaning]) => `  ${String(code).padEnd(5)}${meaning}`,
        ),
        examples(
          ['kcp config demo', 'use what npm start runs on this machine'],
          ['kcp login -u admin -p admin-demo-password', 'log in there'],
          ['kcp runtimes', 'look around'],
        ),
      ].join('\n'),
    );
  for (const option of globalOptions()) kcp.addOption(option);
  const called = commands.filter(([words]) => words.some((word) => line.includes(word)));
  const isWhole = called.length === 0 || called.some(([[name = '']]) => needAll.includes(name));
  for (const [, load] of isWhole ? commands : called) kcp.addCommand((await load())(surroundings));
  const settle = (each: Command) => {
    each
      .enablePositionalOptions()
      .exitOverride()
      .configureOutput({
        writeOut: (text) => void output.write(text),
        writeErr: (text) => void notes.write(text),
        getOutHelpWidth: () => output.columns ?? 100,
        getErrHelpWidth: () => notes.columns ?? 100,
        getOutHasColors: () => false,
        getErrHasColors: () => false,
        outputError: () => {}, // told below, in one line
      })
      .configureHelp({ showGlobalOptions: true })
      .helpCommand(false);
    // Global options may also stand behind the command, unless it has one of that name itself.
    if (each !== kcp)
      for (const option of globalOptions())
        if (
          !each.options.some(
            ({ long, short }) =>
              long === option.long || (short !== undefined && short === option.short),
          )
        )
          each.addOption(option.hideHelp());
    each.commands.forEach(settle);
  };
  settle(kcp);
  return kcp;
}

function globalOptions(): Option[] {
  return [
    new Option('--config <path>', 'config file (KCPCONFIG; ~/.kcp/config.yaml)'),
    new Option('--context <name>', 'context of the config file (KCP_CONTEXT)'),
    ...settingNames.map(
      (name) =>
        new Option(`--${name} <value>`, `${aboutSetting(name).about} (${variableOf(name)})`),
    ),
    new Option(
      '-v, --verbose <level>',
      'tell every request, and where errors come from: 0 to 6 (KCP_VERBOSE)',
    ),
  ];
}

function tell(
  error: unknown,
  line: readonly string[],
  { notes, environment }: Surroundings,
): number {
  const isVerbose =
    line.some((word) => /^(?:-v|--verbose)/.test(word)) || Boolean(environment['KCP_VERBOSE']);
  const say = (text: string) => void notes.write(`${text}\n`);
  if (error instanceof CommanderError) {
    if (error.exitCode === 0) return exitCodes.fine[0];
    if (error.code !== 'commander.help') say(oneLineOf(error));
    return exitCodes.usage[0];
  }
  const problem = error instanceof Problem ? error : undefined;
  say(problem ? `error: ${problem.message}` : `error: ${unexpected(error)}`);
  if (isVerbose && problem?.ending !== 'usage' && error instanceof Error) say(error.stack ?? '');
  return exitCodes[problem?.ending ?? 'error'][0];
}

const oneLineOf = ({ message }: CommanderError) =>
  `${message.split('\n').join(' ')}. See kcp --help for more information`;

const unexpected = (error: unknown) =>
  `${error instanceof Error ? error.message : String(error)} (this should not happen: -v 1 tells more)`;
