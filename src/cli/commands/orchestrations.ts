import { Option, type Command } from 'commander';
import {
  command,
  examples,
  many,
  watchOption,
  withOutput,
  withPaging,
  yesOption,
} from '../command.ts';
import { followOrchestration } from '../follow-orchestration.ts';
import {
  orchestratedColumns,
  orchestrationColumns,
  orchestrationSheet,
  reportLines,
} from '../orchestration-picture.ts';
import { Problem, usage } from '../problem.ts';
import { isEnded, type OrchestratedOperation, type Orchestration } from '../service/shapes.ts';
import { showPages } from '../show-pages.ts';
import type { Surroundings } from '../surroundings.ts';
import { acts, type Work } from '../work.ts';

type Flags = {
  readonly output?: string;
  readonly headers?: boolean;
  readonly limit?: number;
  readonly all?: boolean;
  readonly state?: readonly string[];
  readonly operation?: readonly string[];
  readonly now?: boolean;
  readonly yes?: boolean;
  readonly watch?: boolean;
};

/** As people write them, and as they are called. */
const states: Readonly<Record<string, string>> = {
  pending: 'pending',
  inprogress: 'in progress',
  failed: 'failed',
  succeeded: 'succeeded',
  canceled: 'canceled',
  canceling: 'canceling',
  retrying: 'retrying',
  paused: 'paused',
};

const acting = { cancel, retry, pause: hold, resume, report, ops, operations: ops } as const;

export const orchestrations = (surroundings: Surroundings): Command =>
  withPaging(
    withOutput(command('orchestrations', 'Lists orchestrations, tells about one, or steers it.')),
  )
    .aliases(['orchestration', 'o'])
    .argument('[orchestration-id]')
    .argument('[action]', 'ops (operations), cancel, retry, pause, resume or report')
    .addOption(many('-s, --state <state>', `one of ${Object.keys(states).join(', ')}`))
    .addOption(many('--operation <id>', 'retry: only these operations'))
    .addOption(new Option('-n, --now', 'retry: at once, not in the next maintenance window'))
    .addOption(yesOption())
    .addOption(watchOption())
    .addHelpText(
      'after',
      examples(
        ['kcp orchestrations --state inprogress,paused', 'what is under way'],
        ['kcp o ORCHESTRATION_ID --watch', 'follow one until it has ended'],
        ['kcp o ORCHESTRATION_ID ops --state failed', 'which of its runtimes failed'],
        ['kcp o ORCHESTRATION_ID retry --now', 'try the failed ones again, at once'],
        ['kcp o ORCHESTRATION_ID pause', 'begin no further upgrade until resume'],
      ),
    )
    .action(
      acts<Flags>(surroundings, async (work, flags, [id, action]) => {
        const state = wantedStates(flags.state);
        const { screen } = work;
        if (id === undefined) {
          const columns = orchestrationColumns(screen.colour);
          return showPages(work, work.broker(), ['/orchestrations', { state }], columns, flags);
        }
        if (action !== undefined) {
          const act = Object.hasOwn(acting, action) && acting[action as keyof typeof acting]; // looked up just now
          if (!act)
            throw usage(`${action} is no action: allowed are ${Object.keys(acting).join(', ')}`);
          return act(work, id, flags);
        }
        if (flags.watch) return followOrchestration(work, id);
        const found = await one(work, id);
        if (flags.output !== undefined)
          return screen.show([found], orchestrationColumns(screen.colour), flags, found);
        return screen.print(...orchestrationSheet(found, screen.colour));
      }),
    );

const pathOf = (id: string, more = '') => `/orchestrations/${encodeURIComponent(id)}${more}`;
const one = (work: Work, id: string) => work.broker().get<Orchestration>(pathOf(id));

function wantedStates(given: readonly string[] | undefined): string[] | undefined {
  return given?.map((each) => {
    const state = states[each];
    if (state === undefined)
      throw usage(`--state is ${each}: allowed are ${Object.keys(states).join(', ')}`);
    return state;
  });
}

function ops(work: Work, id: string, flags: Flags): Promise<void> {
  const query = { state: wantedStates(flags.state) };
  const columns = orchestratedColumns(work.screen.colour);
  return showPages<OrchestratedOperation>(
    work,
    work.broker(),
    [pathOf(id, '/operations'), query],
    columns,
    flags,
  );
}

async function cancel(work: Work, id: string, { yes, watch }: Flags): Promise<void> {
  const { state, operationStats: stats = {} } = await one(work, id);
  if (isEnded(state))
    throw new Problem('error', `orchestration ${id} is ${state} already: nothing to cancel`);
  const counts = `${stats['pending'] ?? 0} pending operation(s) will not begin, ${stats['in progress'] ?? 0} running one(s) will end`;
  await work.screen.confirm(`Cancel orchestration ${id}? ${counts}.`, yes);
  await work.broker().send('PUT', pathOf(id, '/cancel'));
  work.screen.print(`orchestration ${id} is being canceled`);
  if (watch) await followOrchestration(work, id, 'canceled');
}

async function retry(work: Work, id: string, flags: Flags): Promise<void> {
  const { state } = await one(work, id);
  if (['pending', 'retrying', 'succeeded', 'canceled'].includes(state))
    throw new Problem(
      'error',
      `orchestration ${id} is ${state}: only a failed or a running one can be retried`,
    );
  const form = new URLSearchParams((flags.operation ?? []).map((each) => ['operation-id', each]));
  if (flags.now) form.set('immediate', 'true');
  const answer = await work.broker().sendForm<RetryAnswer>(pathOf(id, '/retry'), form);
  if (flags.output === 'json') work.screen.json(answer);
  else
    work.screen.print(
      answer.msg,
      ...listed('retried', answer.retryShoots),
      ...listed('retried elsewhere since', answer.oldOperations),
      ...listed('not failed operations of this orchestration', answer.invalidOperations),
    );
  if (flags.watch) await followOrchestration(work, id);
}

type RetryAnswer = {
  readonly msg: string;
  readonly retryShoots?: readonly string[] | null;
  readonly oldOperations?: readonly string[] | null;
  readonly invalidOperations?: readonly string[] | null;
};
const listed = (label: string, all: readonly string[] | null | undefined) =>
  all && all.length > 0 ? [`${label}: ${all.join(', ')}`] : [];

async function hold(work: Work, id: string, { yes }: Flags): Promise<void> {
  await work.screen.confirm(
    `Pause orchestration ${id}? No further operation of it will begin.`,
    yes,
  );
  await work.broker().send('PUT', pathOf(id, '/pause'));
  work.screen.print(`orchestration ${id} pauses; go on with kcp o ${id} resume`);
}

async function resume(work: Work, id: string, { watch }: Flags): Promise<void> {
  await work.broker().send('PUT', pathOf(id, '/resume'));
  work.screen.print(`orchestration ${id} goes on`);
  if (watch) await followOrchestration(work, id);
}

async function report(work: Work, id: string, flags: Flags): Promise<void> {
  const found = await one(work, id);
  if (flags.output === 'json') return work.screen.json(found.report ?? {});
  work.screen.print(...reportLines(found));
}
