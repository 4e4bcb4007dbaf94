import { Option, type Command } from 'commander';
import {
  command,
  each,
  examples,
  watchOption,
  whole,
  withOutput,
  withTargets,
  yesOption,
  type TargetFlags,
} from '../command.ts';
import { followOrchestration } from '../follow-orchestration.ts';
import type { OutputFlags } from '../output/screen.ts';
import type { Column } from '../output/table.ts';
import { timeText } from '../output/times.ts';
import { usage } from '../problem.ts';
import { ask } from '../service/http.ts';
import type { Surroundings } from '../surroundings.ts';
import { readTargets } from '../targets.ts';
import { acts, type Work } from '../work.ts';

type Flags = OutputFlags &
  TargetFlags & {
    readonly strategy: string;
    readonly parallelWorkers: number;
    readonly schedule: string;
    readonly maintenancewindow?: boolean;
    readonly notification?: boolean;
    readonly dryRun?: boolean;
    readonly version?: string;
    readonly kubernetesVersion?: string;
    readonly wave?: readonly string[];
    readonly waveSoak?: string;
    readonly errorBudget?: string;
    readonly preview?: boolean;
    readonly yes?: boolean;
    readonly watch?: boolean;
  };

export const upgrade = (surroundings: Surroundings): Command =>
  command('upgrade', 'Upgrades many runtimes, as one orchestration.')
    .alias('u')
    .addCommand(
      common('kyma', 'Upgrades Kyma.')
        .option('--version <version>', 'Kyma version; by default the one of the broker')
        .addHelpText(
          'after',
          examples(
            ['kcp upgrade kyma --target all --preview', 'which runtimes, and in which wave'],
            [
              'kcp upgrade kyma -t plan=azure,region=europe --version 2.18.0 --wave 5 --wave 10% --error-budget 3',
              'five first, then a tenth, then the rest; stop by itself at the fourth failure',
            ],
          ),
        )
        .action(acts<Flags>(surroundings, (work, flags) => start(work, 'kyma', flags))),
    )
    .addCommand(
      common('cluster', 'Upgrades Kubernetes.')
        .option('--kubernetes-version <version>', 'by default the one of the broker')
        .addHelpText(
          'after',
          examples([
            'kcp upgrade cluster -t all -e account=ga-vip --maintenancewindow',
            'all but one account, each in its window',
          ]),
        )
        .action(acts<Flags>(surroundings, (work, flags) => start(work, 'cluster', flags))),
    );

const common = (name: string, about: string): Command =>
  withOutput(withTargets(command(name, about)))
    .addOption(
      new Option('--strategy <name>', 'how they are gone through')
        .choices(['parallel'])
        .default('parallel'),
    )
    .addOption(whole('--parallel-workers <number>', 'so many at a time').default(1))
    .option('--schedule <time>', 'now, immediate, or a time like 2026-11-15T22:00:00Z', 'now')
    .option('--maintenancewindow', 'each runtime in its maintenance window')
    .option('--notification', 'tell the customers')
    .option('--dry-run', 'run all of it, but change no runtime')
    .addOption(
      each(
        '--wave <size>',
        'runtimes in the first, second, … wave: 10 or 5%; the rest is the last one',
      ),
    )
    .option('--wave-soak <duration>', 'pause between waves: 10m')
    .option('--error-budget <failures>', 'more failures than this pause it by itself: 5 or 10%')
    .option('--preview', 'show which runtimes it would be, and store nothing')
    .addOption(yesOption())
    .addOption(watchOption());

type PreviewItem = {
  readonly shootName?: string;
  readonly instanceID: string;
  readonly globalAccountID: string;
  readonly subAccountID: string;
  readonly servicePlanName: string;
  readonly region?: string;
  readonly maintenanceWindowBegin?: string;
  readonly maintenanceWindowEnd?: string;
  readonly wave?: number;
};
type Preview = {
  readonly data: readonly PreviewItem[];
  readonly totalCount: number;
  readonly skipped?: readonly { readonly because: string }[];
};

const previewColumns: Column<PreviewItem>[] = [
  { header: 'WAVE', value: ({ wave = 1 }) => String(wave), least: 4 },
  { header: 'SHOOT', value: ({ shootName = '' }) => shootName },
  { header: 'GLOBALACCOUNT', value: ({ globalAccountID }) => globalAccountID },
  { header: 'SUBACCOUNT', value: ({ subAccountID }) => subAccountID },
  { header: 'PLAN', value: ({ servicePlanName }) => servicePlanName },
  { header: 'REGION', value: ({ region = '' }) => region },
  { header: 'WINDOW BEGINS', value: (item) => timeText(item.maintenanceWindowBegin), least: 19 },
  { header: 'INSTANCE ID', value: ({ instanceID }) => instanceID, isWide: true },
];

async function start(work: Work, kind: 'kyma' | 'cluster', flags: Flags): Promise<void> {
  const { screen } = work;
  const body = orderOf(kind, flags);
  const broker = work.broker();
  const preview = await broker.send<Preview>('POST', `/upgrade/${kind}`, body, { preview: true });
  const isJson = flags.output === 'json';
  if (flags.preview) return screen.show(preview.data, previewColumns, flags, preview);
  if (!isJson) {
    screen.show(preview.data, previewColumns, flags);
    for (const [because, count] of countedReasons(preview))
      screen.note(`${count} left out: ${because}`);
  }
  const what = flags.dryRun ? 'Dry run of an upgrade' : 'Upgrade';
  await screen.confirm(`${what} of ${kind} on ${preview.totalCount} runtime(s). Go on?`, flags.yes);
  const { orchestrationID } = await broker.send<{ orchestrationID: string }>(
    'POST',
    `/upgrade/${kind}`,
    body,
  );
  if (isJson) screen.json({ orchestrationID });
  else screen.print(`OrchestrationID: ${orchestrationID}`);
  await announce(
    work,
    `${what} of ${kind} has begun: orchestration ${orchestrationID}, ${preview.totalCount} runtime(s)`,
  );
  if (flags.watch) await followOrchestration(work, orchestrationID);
}

export function orderOf(kind: 'kyma' | 'cluster', flags: Flags): object {
  const { schedule, wave, waveSoak, errorBudget } = flags;
  if (/^maintenance-?window$/i.test(schedule))
    throw usage('--schedule maintenancewindow is no more: use --maintenancewindow');
  if (!['now', 'immediate'].includes(schedule) && Number.isNaN(Date.parse(schedule)))
    throw usage(
      `--schedule is ${schedule}: allowed are now, immediate, or a time like 2026-11-15T22:00:00Z`,
    );
  return {
    targets: readTargets(flags.target, flags.targetExclude),
    strategy: {
      type: flags.strategy,
      schedule,
      maintenanceWindow: flags.maintenancewindow === true,
      parallel: { workers: flags.parallelWorkers },
      ...(wave && { waves: wave.map((size) => amount('--wave', size, 'size', 1)) }),
      ...(waveSoak !== undefined && { waveSoak }),
      ...(errorBudget !== undefined && {
        errorBudget: amount('--error-budget', errorBudget, 'failures', 0),
      }),
    },
    ...(kind === 'kyma' && {
      kyma: { ...(flags.version !== undefined && { version: flags.version }) },
    }),
    ...(kind === 'cluster' && {
      kubernetes: {
        ...(flags.kubernetesVersion !== undefined && {
          kubernetesVersion: flags.kubernetesVersion,
        }),
      },
    }),
    dryRun: flags.dryRun === true,
    notification: flags.notification === true,
  };
}

function amount(flag: string, text: string, unit: string, least: number): Record<string, number> {
  const [, number, percent] = /^(\d{1,6})(%?)$/.exec(text) ?? [];
  const value = Number(number);
  if (number === undefined || value < least || (percent === '%' && value > 100))
    throw usage(
      `${flag} is ${text}: allowed are a whole number from ${least} on, or a percentage like 10%`,
    );
  return percent === '%' ? { percent: value } : { [unit]: value };
}

function countedReasons({ skipped = [] }: Preview): [string, number][] {
  const counts = new Map<string, number>();
  for (const { because } of skipped) counts.set(because, (counts.get(because) ?? 0) + 1);
  return [...counts];
}

/** Where people are told of upgrades. That it does not work spoils nothing. */
async function announce(
  { settings, screen, trace, surroundings }: Work,
  text: string,
): Promise<void> {
  const url = settings.get('slack-api-url');
  if (url === undefined) return;
  const headers = { 'content-type': 'application/json' };
  const body = JSON.stringify({ text });
  try {
    // The address is a secret, so it is not traced.
    const { ok, status } = await ask({
      method: 'POST',
      url,
      headers,
      body,
      signal: surroundings.signal,
      within: 10_000,
      trace: () => {},
    });
    if (!ok) screen.note(`the upgrade was not announced: slack-api-url answered ${status}`);
  } catch (error) {
    trace(error instanceof Error ? error.message : String(error));
    screen.note('the upgrade was not announced: slack-api-url does not answer');
  }
}
