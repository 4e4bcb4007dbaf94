import { Command, Option } from 'commander';
import { usage } from './problem.ts';
import { outputHelp } from './output/output-format.ts';

export const command = (name: string, about: string): Command =>
  new Command(name).description(about);

/** Below the help of a command. A test runs through all of them. */
export const examples = (...lines: readonly (readonly [line: string, meaning: string])[]): string =>
  ['', 'Examples:', ...lines.flatMap(([line, meaning]) => [`  # ${meaning}`, `  ${line}`])].join(
    '\n',
  );

/** May be repeated, and hold several values separated by commas. */
export const many = (flags: string, about: string): Option =>
  new Option(flags, about).argParser((value: string, before: readonly string[] | undefined) => [
    ...(before ?? []),
    ...value
      .split(',')
      .map((each) => each.trim())
      .filter(Boolean),
  ]);

export const whole = (flags: string, about: string, least = 1): Option => {
  const option = new Option(flags, about);
  return option.argParser((value: string) => {
    if (!/^\d{1,9}$/.test(value) || Number(value) < least)
      throw usage(`--${option.name()} is ${value}: allowed are whole numbers from ${least} on`);
    return Number(value);
  });
};

export const yesOption = () => new Option('-y, --yes', 'do not ask');
export const watchOption = () => new Option('-w, --watch', 'follow it until it has ended');

export const withOutput = (to: Command): Command =>
  to.option('-o, --output <format>', outputHelp).option('--no-headers', 'leave the first line out');

export const withPaging = (to: Command): Command =>
  to
    .addOption(whole('--limit <number>', 'so many, instead of the first 100'))
    .option('--all', 'all of them');

export type PagingFlags = { readonly limit?: number; readonly all?: boolean };
export const limitOf = ({ limit = 100, all }: PagingFlags): number => (all ? Infinity : limit);

/** May be repeated; what is between commas belongs together. */
export const each = (flags: string, about: string): Option =>
  new Option(flags, about).argParser((value: string, before: readonly string[] | undefined) => [
    ...(before ?? []),
    value,
  ]);

export const withTargets = (to: Command): Command =>
  to
    .addOption(
      each(
        '-t, --target <selector>',
        'which runtimes: all, account=RE, subaccount=RE, region=RE, runtime-id=ID, plan=NAME, shoot=NAME, instance-id=ID; what stands between commas must hold together; may be repeated',
      ),
    )
    .addOption(each('-e, --target-exclude <selector>', 'which of them not; the same, without all'));

export type TargetFlags = {
  readonly target?: readonly string[];
  readonly targetExclude?: readonly string[];
};
