import type { Command } from 'commander';
import {
  command,
  examples,
  watchOption,
  withOutput,
  withPaging,
  yesOption,
  type PagingFlags,
} from '../command.ts';
import { followOperation } from '../follow-operation.ts';
import { paintedState, type Paint } from '../output/colours.ts';
import type { OutputFlags } from '../output/screen.ts';
import type { Column } from '../output/table.ts';
import { timeText } from '../output/times.ts';
import { showPages } from '../show-pages.ts';
import type { Surroundings } from '../surroundings.ts';
import { acts } from '../work.ts';

type Job = {
  readonly name: string;
  readonly about?: string;
  readonly schedule: string;
  readonly enabled: boolean;
  readonly dryRun?: boolean;
  readonly lastRun?: Run;
  readonly nextRunAt?: string;
};
type Run = {
  readonly runID: string;
  readonly job: string;
  readonly trigger: string;
  readonly by?: string;
  readonly dryRun?: boolean;
  readonly state: string;
  readonly startedAt: string;
  readonly endedAt?: string;
  readonly summary?: string;
};
type RunFlags = {
  readonly dryRun?: boolean;
  readonly yes?: boolean;
  readonly watch?: boolean;
  readonly output?: string;
};

export const jobs = (surroundings: Surroundings): Command =>
  withOutput(command('jobs', 'Lists what the broker does from time to time, and how it went.'))
    .alias('job')
    .addHelpText(
      'after',
      examples(
        ['kcp jobs', 'what there is, when it ran, and when it runs again'],
        ['kcp jobs runs trial-expiration', 'how it went each time'],
        ['kcp jobs run trial-expiration --dry-run', 'what would it do now?'],
      ),
    )
    .action(
      acts<OutputFlags>(surroundings, async (work, flags) => {
        const all = await work.broker().get<readonly Job[]>('/jobs');
        work.screen.show(all, jobColumns(work.screen.colour), flags);
      }),
    )
    .addCommand(
      withPaging(withOutput(command('runs', 'Lists the runs of a job, the newest first.')))
        .argument('<job>')
        .action(
          acts<OutputFlags & PagingFlags>(surroundings, (work, flags, [job = '']) => {
            const path = `/jobs/${encodeURIComponent(job)}/runs`;
            const columns = runColumns(work.screen.colour);
            return showPages<Run>(work, work.broker(), [path, {}], columns, flags);
          }),
        ),
    )
    .addCommand(
      command('run', 'Runs a job now.')
        .argument('<job>')
        .option('--dry-run', 'change nothing, and tell what would be done')
        .addOption(yesOption())
        .addOption(watchOption())
        .option('-o, --output <format>', 'json')
        .action(
          acts<RunFlags>(surroundings, async (work, { dryRun, yes, watch, output }, [job = '']) => {
            const { screen } = work;
            if (!dryRun) await screen.confirm(`Run job ${job} now?`, yes);
            const path = `/jobs/${encodeURIComponent(job)}/run`;
            const body = dryRun === undefined ? {} : { dryRun };
            const started = await work
              .broker()
              .send<{ runID: string; operationID: string }>('POST', path, body);
            if (output === 'json') screen.json(started);
            else screen.print(`RunID: ${started.runID}`, `OperationID: ${started.operationID}`);
            if (watch) await followOperation(work, started.operationID);
          }),
        ),
    );

const jobColumns = (colour: Paint): Column<Job>[] => [
  { header: 'JOB', value: ({ name }) => name },
  { header: 'SCHEDULE', value: ({ schedule }) => schedule },
  { header: 'ENABLED', value: ({ enabled }) => (enabled ? 'Yes' : 'No') },
  { header: 'DRY RUN', value: ({ dryRun = false }) => String(dryRun) },
  { header: 'LAST RUN', value: ({ lastRun }) => timeText(lastRun?.startedAt), least: 19 },
  {
    header: 'STATE',
    value: ({ lastRun }) => lastRun?.state ?? '',
    colour: (text) => paintedState(text, colour),
  },
  { header: 'NEXT RUN', value: ({ nextRunAt }) => timeText(nextRunAt), least: 19 },
  { header: 'SUMMARY', value: ({ lastRun }) => lastRun?.summary ?? '', least: 20 },
  { header: 'ABOUT', value: ({ about = '' }) => about, isWide: true },
];

const runColumns = (colour: Paint): Column<Run>[] => [
  { header: 'RUN ID', value: ({ runID }) => runID },
  { header: 'STARTED', value: ({ startedAt }) => timeText(startedAt), least: 19 },
  { header: 'ENDED', value: ({ endedAt }) => timeText(endedAt), isWide: true },
  { header: 'TRIGGER', value: ({ trigger, by }) => (by ? `${trigger} (${by})` : trigger) },
  { header: 'DRY RUN', value: ({ dryRun = false }) => String(dryRun) },
  {
    header: 'STATE',
    value: ({ state }) => state,
    least: 11,
    colour: (text) => paintedState(text, colour),
  },
  { header: 'SUMMARY', value: ({ summary = '' }) => summary, least: 20 },
];
