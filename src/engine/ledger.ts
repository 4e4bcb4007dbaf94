import type { Milliseconds } from '#time';
import type { ClaimedOperation } from './claims.ts';
import type { Facts } from './operation.ts';
import type { StepProgress } from './operations-table.ts';
import type { StepRunReport } from './step-runs-table.ts';
import type { Verdict } from './verdict.ts';

export type RecordedRun = Omit<StepRunReport, 'started_ago' | 'ended_ago'> & {
  readonly startedAt: Milliseconds;
  readonly endedAt: Milliseconds;
};

/** What a running operation knows and has done, and which part of that is not stored yet. */
export class Ledger {
  facts: Facts;
  finishedStages: readonly string[];
  notCompleted: readonly string[];
  historyLength: number;
  progress: Readonly<Record<string, StepProgress>>;
  #newFacts: Facts = {};
  #runs: RecordedRun[] = [];

  constructor(claimed: ClaimedOperation, facts: Facts) {
    this.facts = facts;
    this.finishedStages = claimed.finished_stages;
    this.notCompleted = claimed.not_completed;
    this.historyLength = claimed.history_length;
    this.progress = claimed.progress;
  }

  get hasNewFacts(): boolean {
    return Object.keys(this.#newFacts).length > 0;
  }

  /** In an earlier run of the unfinished stage it came to its end. */
  hasEnded(step: string): boolean {
    const { since, record } = this.progress[step] ?? {};
    return since === null && record?.outcome === 'done';
  }

  attemptsOf(step: string): number {
    return this.progress[step]?.attempts ?? 0;
  }

  /** The step's time limit counts from its first run until it is done; a restart of the stage does not begin it anew. */
  beginRun(step: string, age: Milliseconds): StepProgress & { readonly since: Milliseconds } {
    const { attempts = 0, failures = 0, since = null, record = null } = this.progress[step] ?? {};
    const begun = { attempts, failures, since: since ?? age, record };
    this.#setProgress(step, begun);
    return begun;
  }

  /** The same outcome for the same reason again continues the step's last record: one line, one row. */
  endRun(
    stage: string,
    step: string,
    { outcome, because, system, errorClass }: Verdict['record'],
    startedAt: Milliseconds,
    endedAt: Milliseconds,
  ): void {
    const { attempts = 0, failures = 0, since = null, record } = this.progress[step] ?? {};
    const last = record?.outcome === outcome && record.because === because ? record : undefined;
    const number = last?.number ?? ++this.historyLength;
    const runs = (last?.runs ?? 0) + 1;
    const spent = (last?.spent ?? 0) + endedAt - startedAt;
    const attempt = attempts + 1;
    const isOpen = outcome === 'wait' || outcome === 'retry';
    this.#setProgress(step, {
      attempts: attempt,
      failures: outcome === 'retry' ? failures + 1 : 0,
      since: isOpen ? since : null,
      record: { number, outcome, because, runs, spent },
    });
    const timing = { attempt, runs, duration_ms: spent, startedAt, endedAt };
    this.#runs.push({
      number,
      stage,
      step,
      outcome,
      because,
      system,
      error_class: errorClass,
      ...timing,
    });
  }

  give(facts: Facts): void {
    this.facts = { ...this.facts, ...facts };
    this.#newFacts = { ...this.#newFacts, ...facts };
  }

  leaveBehind(step: string): void {
    if (!this.notCompleted.includes(step)) this.notCompleted = [...this.notCompleted, step];
  }

  hasFinished(stage: string): boolean {
    return this.finishedStages.includes(stage);
  }

  finishStage(stage: string): void {
    this.finishedStages = [...this.finishedStages, stage];
    this.progress = {};
  }

  /** What the next transaction must store. */
  unsaved(): { readonly facts: Facts; readonly runs: readonly RecordedRun[] } {
    return { facts: this.#newFacts, runs: this.#runs };
  }

  forgetUnsaved(): void {
    this.#newFacts = {};
    this.#runs = [];
  }

  #setProgress(step: string, progress: StepProgress): void {
    this.progress = { ...this.progress, [step]: progress };
  }
}
