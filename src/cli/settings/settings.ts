import { usage } from '../problem.ts';
import type { Surroundings } from '../surroundings.ts';
import { configPath, readConfig, type ConfigFile } from './config-file.ts';
import { aboutSetting, flagOf, variableOf, type SettingName } from './setting-names.ts';

/** Where kcp works, as flags, environment, context and file say, in this order. */
export type Settings = {
  readonly path: string;
  readonly context: string | undefined;
  readonly get: (name: SettingName) => string | undefined;
  /** All of them, or a problem that names all that are missing. */
  readonly require: <Name extends SettingName>(...names: Name[]) => Record<Name, string>;
};

type Flags = Readonly<Record<string, unknown>>;

export async function readSettings(
  flags: Flags,
  { environment, home }: Surroundings,
): Promise<Settings> {
  const path = configPath(text(flags['config']), environment, home);
  const file = await readConfig(path);
  const context = text(flags['context']) || environment['KCP_CONTEXT'] || file.currentContext;
  const ofContext = contextIn(file, context, path);
  const get = (name: SettingName): string | undefined => {
    const value =
      text(flags[flagOf(name)]) ||
      environment[variableOf(name)] ||
      ofContext[name] ||
      file.common[name];
    if (!value) return undefined;
    if (!aboutSetting(name).isUrl) return value;
    if (!/^https?:\/\//.test(value) || !URL.canParse(value))
      throw usage(
        `${name} is ${aboutSetting(name).isSecret ? 'set, but' : value}: it must be a URL of http or https`,
      );
    return value.replace(/\/+$/, '');
  };
  return {
    path,
    context,
    get,
    require<Name extends SettingName>(...names: Name[]) {
      const missing = names.filter((name) => get(name) === undefined);
      if (missing.length > 0)
        throw usage(
          `missing required options: ${missing.join(', ')}. See kcp --help for more information` +
            ' (kcp config demo sets them for npm start)',
        );
      return Object.fromEntries(names.map((name) => [name, get(name)])) as Record<Name, string>; // none is missing
    },
  };
}

function contextIn({ contexts }: ConfigFile, name: string | undefined, path: string) {
  if (name === undefined) return {};
  const found = contexts[name];
  if (found) return found;
  const known = Object.keys(contexts).join(', ') || 'none';
  throw usage(`there is no context ${name} in ${path}; it has: ${known}`);
}

/** What may be looked at without harm. */
export const shownValue = (name: SettingName, value: string): string =>
  aboutSetting(name).isSecret ? '<hidden>' : value;

const text = (value: unknown): string | undefined =>
  typeof value === 'string' ? value : undefined;
