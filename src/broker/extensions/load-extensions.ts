import { access } from 'node:fs/promises';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Definitions } from '#engine';
import type { Services } from '../services.ts';
import { addStep } from './add-step.ts';
import { extensionKit } from './extension-kit.ts';
import type { Extension, ExtensionKit } from './extension.ts';

/** A mistake in a module that adds steps. Stops the start, and names the file. */
export class BadExtension extends Error {
  override readonly name = 'BadExtension';

  constructor(path: string, why: string, options?: ErrorOptions) {
    super(`extension ${path}: ${why}`, options);
  }
}

export type LoadOptions = {
  /** Of modules, as they stand in the settings. */
  readonly paths: readonly string[];
  /** To which the paths are relative. */
  readonly directory: string;
  readonly environment: ExtensionKit['environment'];
};

/** Has each module add its steps, one after the other: a later one may stand beside a step of an earlier one. */
export async function loadExtensions(
  services: Pick<Services, 'instances' | 'database'>,
  definitions: Definitions,
  { paths, directory, environment }: LoadOptions,
): Promise<void> {
  const repeated = paths.find((path, index) => paths.indexOf(path) !== index);
  if (repeated !== undefined) throw new BadExtension(repeated, 'it is named twice');
  for (const path of paths) {
    const extend = await extensionIn(path, resolve(directory, path));
    const add: ExtensionKit['extend'] = (operation, addition) =>
      addStep(definitions, operation, addition, path);
    try {
      await extend(extensionKit(services, add, environment));
    } catch (cause) {
      throw new BadExtension(path, messageOf(cause), { cause });
    }
  }
}

async function extensionIn(path: string, file: string): Promise<Extension> {
  try {
    await access(file);
  } catch (cause) {
    throw new BadExtension(path, `there is no file ${file} that could be read`, { cause });
  }
  const module = await load(path, file);
  const { default: extend } = module;
  if (typeof extend === 'function') return extend as Extension; // what it takes, nobody can see from outside
  const found = Object.keys(module).join(', ') || 'nothing';
  throw new BadExtension(path, `its default export is no function; it exports ${found}`);
}

async function load(path: string, file: string): Promise<Readonly<Record<string, unknown>>> {
  try {
    return (await import(pathToFileURL(file).href)) as Readonly<Record<string, unknown>>; // a module's exports
  } catch (cause) {
    throw new BadExtension(path, `it cannot be loaded: ${messageOf(cause)}`, { cause });
  }
}

const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error));
