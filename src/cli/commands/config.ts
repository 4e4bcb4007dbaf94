import type { Command } from 'commander';
import { command, examples } from '../command.ts';
import {
  configPath,
  readConfig,
  textOf,
  writeConfig,
  type ConfigFile,
  type SettingValues,
} from '../settings/config-file.ts';
import { aboutSetting, isSettingName, settingNames } from '../settings/setting-names.ts';
import { shownValue } from '../settings/settings.ts';
import { Problem, usage } from '../problem.ts';
import { screenOf } from '../output/screen.ts';
import type { Surroundings } from '../surroundings.ts';
import { flagsOf } from '../work.ts';

/** What `npm start` opens, with the people of its demo. */
const demo: SettingValues = {
  'keb-api-url': 'http://127.0.0.1:8080',
  'oidc-issuer-url': 'http://127.0.0.1:9090/issuer',
  'oidc-client-id': 'kcp',
  'mothership-api-url': 'http://127.0.0.1:9090/reconciler',
};

export function config(surroundings: Surroundings): Command {
  const { environment, home } = surroundings;
  const screen = screenOf(surroundings);
  const open = async (of: Command) => {
    const flag = flagsOf(of)['config'];
    const path = configPath(typeof flag === 'string' ? flag : undefined, environment, home);
    return { path, file: await readConfig(path) };
  };
  /** Reads, changes, writes. */
  const change = async (of: Command, how: (file: ConfigFile) => ConfigFile) => {
    const { path, file } = await open(of);
    await writeConfig(path, how(file));
    return path;
  };
  const contextOf = (of: Command, { currentContext }: ConfigFile): string | undefined => {
    const flag = flagsOf(of)['context'];
    return typeof flag === 'string' ? flag : (environment['KCP_CONTEXT'] ?? currentContext);
  };

  return command('config', 'Keeps the addresses and clients of landscapes, each as a context.')
    .addCommand(
      command('get-contexts', 'Lists the contexts; the one in use has a star.').action(
        async function (this: Command) {
          const { file } = await open(this);
          const rows = Object.entries(file.contexts).map(([name, values]) => ({ name, values }));
          screen.show(
            rows,
            [
              { header: 'CURRENT', value: ({ name }) => (name === file.currentContext ? '*' : '') },
              { header: 'NAME', value: ({ name }) => name },
              { header: 'BROKER', value: ({ values }) => values['keb-api-url'] ?? '' },
              { header: 'ISSUER', value: ({ values }) => values['oidc-issuer-url'] ?? '' },
              { header: 'CLIENT', value: ({ values }) => values['oidc-client-id'] ?? '' },
            ],
            {},
          );
        },
      ),
    )
    .addCommand(
      command('use-context', 'Makes it the one that is used.')
        .argument('<name>')
        .action(async function (this: Command, name: string) {
          await change(this, (file) => {
            if (!file.contexts[name]) throw noContext(name, file);
            return { ...file, currentContext: name };
          });
          screen.print(`context ${name} is used from now on`);
        }),
    )
    .addCommand(
      command(
        'set',
        'Sets one of the settings, in the context in use or in --context; makes the context if need be.',
      )
        .argument('<setting>', settingNames.join(', '))
        .argument('<value>', '- reads it from standard input; an empty one removes the setting')
        .action(async function (this: Command, name: string, value: string) {
          if (!isSettingName(name))
            throw usage(`${name} is no setting: allowed are ${settingNames.join(', ')}`);
          const given = value === '-' ? await firstLineOf(surroundings) : value;
          if (given !== '' && aboutSetting(name).isUrl && !/^https?:\/\/./.test(given))
            throw usage(`${name} must be a URL of http or https`);
          const path = await change(this, (file) => {
            const context = contextOf(this, file);
            if (context === undefined)
              return { ...file, common: changed(file.common, name, given) };
            const values = changed(file.contexts[context] ?? {}, name, given);
            return { ...file, contexts: { ...file.contexts, [context]: values } };
          });
          screen.print(`${name} is set in ${path}`);
        }),
    )
    .addCommand(
      command('view', 'Shows the configuration, without secrets.').action(async function (
        this: Command,
      ) {
        const { path, file } = await open(this);
        const hidden = (values: SettingValues): object =>
          Object.fromEntries(
            Object.entries(values).flatMap(([name, value]) =>
              isSettingName(name) ? [[name, shownValue(name, value)]] : [],
            ),
          );
        const { stringify } = await import('yaml');
        const { currentContext, contexts, common } = file;
        const shown = {
          ...hidden(common),
          ...(currentContext !== undefined && { currentContext }),
          contexts: Object.fromEntries(
            Object.entries(contexts).map(([name, values]) => [name, hidden(values)]),
          ),
        };
        screen.note(`# ${path}${(await textOf(path)) === undefined ? ' (not there yet)' : ''}`);
        screen.print(stringify(shown).trimEnd());
      }),
    )
    .addCommand(
      command('delete-context', 'Removes a context.')
        .argument('<name>')
        .action(async function (this: Command, name: string) {
          await change(this, (file) => {
            const { [name]: gone, ...contexts } = file.contexts;
            if (!gone) throw noContext(name, file);
            const { currentContext, ...rest } = file;
            const isKept = currentContext !== undefined && currentContext !== name;
            return { ...rest, ...(isKept && { currentContext }), contexts };
          });
          screen.print(`context ${name} is gone`);
        }),
    )
    .addCommand(
      command(
        'demo',
        'Writes a context for what npm start runs on this machine, and uses it.',
      ).action(async function (this: Command) {
        const path = await change(this, (file) => ({
          ...file,
          currentContext: 'demo',
          contexts: { ...file.contexts, demo },
        }));
        screen.print(
          `context demo is in ${path}, and used from now on`,
          'now log in: kcp login -u admin -p admin-demo-password',
        );
      }),
    )
    .addHelpText(
      'after',
      examples(
        ['kcp config demo', 'for what npm start runs'],
        [
          'kcp config set keb-api-url https://kyma-env-broker.example.com --context prod',
          'a new context',
        ],
        ['kcp config use-context prod', 'use it'],
      ),
    );
}

const noContext = (name: string, { contexts }: ConfigFile) =>
  new Problem(
    'notFound',
    `there is no context ${name}; there are: ${Object.keys(contexts).join(', ') || 'none'}`,
  );

function changed(values: SettingValues, name: string, value: string): SettingValues {
  const others = Object.fromEntries(Object.entries(values).filter(([each]) => each !== name));
  return value === '' ? others : { ...others, [name]: value };
}

async function firstLineOf({ input }: Surroundings): Promise<string> {
  let text = '';
  for await (const piece of input) text += String(piece);
  return text.split(/\r?\n/)[0] ?? '';
}
