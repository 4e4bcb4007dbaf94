import { randomBytes } from 'node:crypto';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { usage } from '../problem.ts';
import { isSettingName, settingNames, type SettingName } from './setting-names.ts';

export type SettingValues = Readonly<Partial<Record<SettingName, string>>>;

/** Contexts, and settings that hold in all of them. */
export type ConfigFile = {
  readonly currentContext?: string;
  readonly contexts: Readonly<Record<string, SettingValues>>;
  readonly common: SettingValues;
};

export const emptyConfig: ConfigFile = { contexts: {}, common: {} };

export const configPath = (
  flag: string | undefined,
  environment: Readonly<Record<string, string | undefined>>,
  home: string,
): string => flag || environment['KCPCONFIG'] || join(home, '.kcp', 'config.yaml');

export async function readConfig(path: string): Promise<ConfigFile> {
  const text = await textOf(path);
  if (text === undefined || text.trim() === '') return emptyConfig;
  const { parse } = await import('yaml'); // not before it is needed: most of kcp's time is spent on starting
  let content: unknown;
  try {
    content = parse(text);
  } catch (error) {
    throw usage(`${path} is no YAML: ${firstLine(error)}`);
  }
  if (!isObject(content)) throw usage(`${path} must hold settings by name`);
  const { currentContext, contexts = {}, ...common } = content;
  if (currentContext !== undefined && typeof currentContext !== 'string')
    throw usage(`${path}: currentContext must be the name of a context`);
  if (!isObject(contexts)) throw usage(`${path}: contexts must be settings by context`);
  return {
    ...(currentContext !== undefined && { currentContext }),
    contexts: Object.fromEntries(
      Object.entries(contexts).map(([name, values]) => [
        name,
        settingsIn(values, `${path}: contexts.${name}`),
      ]),
    ),
    common: settingsIn(common, path),
  };
}

function settingsIn(values: unknown, place: string): SettingValues {
  if (!isObject(values)) throw usage(`${place} must hold settings by name`);
  for (const [name, value] of Object.entries(values)) {
    if (!isSettingName(name))
      throw usage(`${place}: ${name} is no setting; allowed are ${settingNames.join(', ')}`);
    if (typeof value !== 'string') throw usage(`${place}: ${name} must be a text`);
  }
  return values;
}

/** Only its owner may read it: there may be secrets in it. */
export async function writeConfig(path: string, config: ConfigFile): Promise<void> {
  const { stringify } = await import('yaml');
  const { currentContext, contexts, common } = config;
  await writeForOwner(
    path,
    stringify({ ...common, ...(currentContext !== undefined && { currentContext }), contexts }),
  );
}

/** Never half written, and never readable by others for a moment. */
export async function writeForOwner(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const draft = `${path}.${randomBytes(4).toString('hex')}`;
  await writeFile(draft, text, { mode: 0o600 });
  await rename(draft, path);
}

export async function textOf(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException; // of the file system
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw usage(`${path} cannot be read (${code ?? 'unknown'})`);
  }
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Of a parser's complaint: the lines below it would show what is in the file. */
const firstLine = (error: unknown) =>
  (error instanceof Error ? error.message : String(error)).split('\n')[0]?.replace(/:$/, '');
