import type { Command } from 'commander';
import { command, examples, withOutput, withPaging, type PagingFlags } from '../command.ts';
import type { OutputFlags } from '../output/screen.ts';
import type { Column } from '../output/table.ts';
import { timeText } from '../output/times.ts';
import { Problem } from '../problem.ts';
import { showPages } from '../show-pages.ts';
import { sinceTime } from '../since-time.ts';
import type { Surroundings } from '../surroundings.ts';
import { acts } from '../work.ts';

type Flags = OutputFlags &
  PagingFlags & { readonly since?: string; readonly actor?: string; readonly act?: string };

type Entry = {
  readonly number?: number;
  readonly at?: string;
  readonly actor?: string;
  readonly client?: string;
  readonly action?: string;
  readonly subject?: string;
  readonly outcome?: string | number;
  readonly requestID?: string;
};
type Verdict = {
  readonly ok: boolean;
  readonly entries: number;
  readonly brokenAt?: number | string;
  readonly because?: string;
  readonly head?: { readonly number: number; readonly hash: string };
};

const columns: Column<Entry>[] = [
  { header: 'TIME', value: ({ at }) => timeText(at), least: 19 },
  { header: 'ACTOR', value: ({ actor = '' }) => actor },
  { header: 'CLIENT', value: ({ client = '' }) => client },
  { header: 'ACTION', value: ({ action = '' }) => action, least: 20 },
  { header: 'SUBJECT', value: ({ subject = '' }) => subject },
  { header: 'OUTCOME', value: ({ outcome = '' }) => String(outcome) },
  { header: 'REQUEST ID', value: ({ requestID = '' }) => requestID, isWide: true },
];

export const audit = (surroundings: Surroundings): Command =>
  withPaging(
    withOutput(
      command('audit', 'Who did what, the newest first; and whether anybody changed that record.'),
    ),
  )
    .option('--since <time>', '30m, 2h, 7d, or a time')
    .option('--actor <name>', 'only what they did')
    .option('--act <action>', 'only this')
    .addHelpText(
      'after',
      examples(
        ['kcp audit --since 24h --actor admin', 'what admin did today'],
        ['kcp audit verify', 'was an entry changed or removed?'],
      ),
    )
    .action(
      acts<Flags>(surroundings, (work, flags) => {
        const query = {
          since: sinceTime('--since', flags.since, work.now()),
          actor: flags.actor,
          action: flags.act,
        };
        return showPages<Entry>(work, work.broker(), ['/audit', query], columns, flags);
      }),
    )
    .addCommand(
      command('verify', 'Checks that no entry was changed or removed.')
        .option('-o, --output <format>', 'json')
        .option('--noted <head>', 'a head that was printed before: the log must still contain it')
        .action(
          acts<{ output?: string; noted?: string }>(surroundings, async (work, flags) => {
            const { output, noted } = flags;
            const verdict = await work.broker().get<Verdict>('/audit/verify', { noted });
            const { ok, entries, brokenAt, because, head } = verdict;
            if (output === 'json') work.screen.json(verdict);
            else if (ok)
              work.screen.print(
                `the audit log is whole: ${entries} entries, none changed or removed; its head is ${head?.number}:${head?.hash}`,
              );
            if (!ok)
              throw new Problem(
                'error',
                `the audit log was changed at entry ${String(brokenAt)} (${because ?? 'no reason given'}): compare it with a backup`,
              );
          }),
        ),
    );
