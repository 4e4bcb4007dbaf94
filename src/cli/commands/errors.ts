import type { Command } from 'commander';
import { command, examples, withOutput, withPaging, type PagingFlags } from '../command.ts';
import type { OutputFlags } from '../output/screen.ts';
import type { Column } from '../output/table.ts';
import { timeText } from '../output/times.ts';
import { sinceTime } from '../since-time.ts';
import { showPages } from '../show-pages.ts';
import type { Surroundings } from '../surroundings.ts';
import { acts } from '../work.ts';

type Flags = OutputFlags & PagingFlags & { readonly since?: string; readonly until?: string };

type ErrorGroup = {
  readonly fingerprint: string;
  readonly type: string;
  readonly step?: string;
  readonly system?: string;
  readonly class: string;
  readonly reason?: string;
  readonly message: string;
  readonly action?: string;
  readonly count: number;
  readonly runtimeCount: number;
  readonly open: number;
  readonly firstAt: string;
  readonly lastAt: string;
};

const columns: Column<ErrorGroup>[] = [
  { header: 'COUNT', value: ({ count }) => String(count), least: 5 },
  { header: 'RUNTIMES', value: ({ runtimeCount }) => String(runtimeCount) },
  { header: 'OPEN', value: ({ open }) => String(open), least: 4 },
  { header: 'CLASS', value: (group) => group.class, least: 6 },
  { header: 'SYSTEM', value: ({ system = '' }) => system },
  { header: 'TYPE', value: ({ type }) => type },
  { header: 'STEP', value: ({ step = '' }) => step },
  { header: 'LAST', value: ({ lastAt }) => timeText(lastAt), least: 19 },
  { header: 'MESSAGE', value: ({ message }) => message, least: 24 },
  { header: 'WHAT TO DO', value: ({ action = '' }) => action, isWide: true },
  { header: 'REASON', value: ({ reason = '' }) => reason, isWide: true },
  { header: 'FINGERPRINT', value: ({ fingerprint }) => fingerprint, isWide: true },
];

export const errors = (surroundings: Surroundings): Command =>
  withPaging(withOutput(command('errors', 'Failures of the whole fleet, the same ones together.')))
    .option('--since <time>', '30m, 2h, 7d, or a time')
    .option('--until <time>', 'likewise')
    .addHelpText(
      'after',
      examples(['kcp errors --since 24h -o wide', 'what broke today, and what to do about it']),
    )
    .action(
      acts<Flags>(surroundings, (work, flags) => {
        const query = {
          since: sinceTime('--since', flags.since, work.now()),
          until: sinceTime('--until', flags.until, work.now()),
        };
        return showPages<ErrorGroup>(work, work.broker(), ['/errors', query], columns, flags);
      }),
    );
