import type { Logger } from 'pino';
import { inWords, type Clock, type Milliseconds } from '#time';
import type { Advance, Announcement, ClaimedOperation, Next } from './claims.ts';
import type { OperationEvent } from './events.ts';
import type { Saved } from './group-commit.ts';
import { describeFailure, TimeLimitReached, type Failure } from './failure.ts';
import { Ledger, type RecordedRun } from './ledger.ts';
import type { Facts, OperationDefinition, RegisteredStep, Stage } from './operation.ts';
import type { Skips } from './operations-table.ts';
import { skip, type Skip } from './outcome.ts';
import { StageMemory } from './stage-memory.ts';
import { attempt, Interruption } from './step-attempt.ts';
import { judge, type Pause, type TimeLeft, type Verdict } from './verdict.ts';

/** What a run asks of the replica that carries it. */
export type RunServices = {
  readonly clock: Clock;
  readonly log: Logger;
  readonly replica: string;
  /** One run of one step may take so long. */
  readonly runLimit: Milliseconds;
  /** Pauses are this many times shorter. */
  readonly pace: number;
  /** Resolves while the lease is known to be held. */
  readonly leaseProven: () => Promise<void>;
  /** Stores it, however long the database is away; 'fenced' if somebody else holds the operation by now. */
  readonly save: (advance: Advance) => Promise<Saved>;
  readonly seal: (facts: Facts) => unknown;
  readonly emit: (event: OperationEvent) => void;
};

/** How a run ends: the moment (of the clock) at which the operation wants to go on, or nothing more to do here. */
export type Rest = Milliseconds | 'ended' | 'lost';

/** One claim of one operation: from its first unfinished stage on, until it waits, ends, or is taken away. */
export class OperationRun {
  readonly #claimed: ClaimedOperation;
  readonly #definition: OperationDefinition;
  readonly #services: RunServices;
  readonly #claimedAt: Milliseconds;
  readonly #ledger: Ledger;
  #position: { stage: string; step: string; attempt: number } | undefined;
  #cancelBecause: string | null;
  #skips: Skips;
  /** As they were when the operation was last stored. */
  #storedSkips: Skips;
  #handBack = false;
  #current: { readonly startedAt: Milliseconds; readonly abort: AbortController } | undefined;
  #announced = false;

  constructor(
    claimed: ClaimedOperation,
    facts: Facts,
    definition: OperationDefinition,
    services: RunServices,
  ) {
    this.#claimed = claimed;
    this.#definition = definition;
    this.#services = services;
    this.#claimedAt = services.clock.monotonic();
    this.#ledger = new Ledger(claimed, facts);
    this.#cancelBecause = claimed.cancel_because;
    this.#skips = claimed.skips;
    this.#storedSkips = claimed.skips;
  }

  /** Ends at the next step; the step that runs now is told by its signal. */
  cancel(because: string): void {
    this.#cancelBecause ??= because;
    this.#current?.abort.abort(new Interruption('canceled'));
  }

  /** The step is left out when its turn comes; if it runs now, its signal tells it, and the next one follows. */
  skip(step: string, because: string): void {
    this.#skips = { ...this.#skips, [step]: because };
    if (this.#position?.step === step) this.#current?.abort.abort(new Interruption('skipped'));
  }

  /** The step is not to be left out any more. */
  unskip(step: string): void {
    this.#skips = Object.fromEntries(Object.entries(this.#skips).filter(([name]) => name !== step));
  }

  /** At the next step the operation goes back to the queue. `now`: the step that runs is told to stop. */
  handBack(now: boolean): void {
    this.#handBack = true;
    if (now) this.#current?.abort.abort(new Interruption('handed back'));
  }

  /** Somebody else holds the operation: nothing more may be done for it here. */
  drop(): void {
    this.#handBack = true;
    this.#current?.abort.abort(new Interruption('lease lost'));
  }

  /** The step that has been running for so long and is not yet known to the database; told once for each run. */
  longRunning(than: Milliseconds): Announcement | undefined {
    const { id, epoch } = this.#claimed;
    const elapsed = this.#services.clock.monotonic() - (this.#current?.startedAt ?? Infinity);
    if (elapsed < than || this.#announced || !this.#position) return undefined;
    const { stage, step, attempt } = this.#position;
    const progress = this.#ledger.progress[step];
    if (!progress) return undefined;
    this.#announced = true;
    return { id, epoch, stage, step, attempt, progress };
  }

  async untilItRests(): Promise<Rest> {
    try {
      const open = this.#definition.stages.filter(({ name }) => !this.#ledger.hasFinished(name));
      for (const stage of open) {
        const rest = await this.#runStage(stage);
        if (rest !== 'finished') return rest;
        if (stage !== open.at(-1)) await this.#save({ kind: 'keep' });
      }
      return await this.#succeed('succeeded');
    } catch (error) {
      return this.#brokenOff(error).catch(orLost);
    }
  }

  async #runStage(stage: Stage): Promise<'finished' | Rest> {
    const memory = new StageMemory();
    for (const step of stage.steps) {
      await this.#reach(stage, step);
      const rest = await this.#runStep(stage, step, memory);
      if (rest !== 'go on') return rest;
    }
    this.#ledger.finishStage(stage.name);
    return 'finished';
  }

  /** Between two steps: what the last one gave is stored before the next one runs, and whoever wants us to stop is heard. */
  async #reach(stage: Stage, step: RegisteredStep): Promise<void> {
    const attempt = this.#ledger.attemptsOf(step.name) + 1;
    this.#position = { stage: stage.name, step: step.name, attempt };
    if (this.#ledger.hasNewFacts) await this.#save({ kind: 'keep' });
    await this.#services.leaseProven();
    if (this.#cancelBecause !== null) throw new Interruption('canceled');
    if (this.#handBack) throw new Interruption('handed back');
  }

  async #runStep(stage: Stage, step: RegisteredStep, memory: StageMemory): Promise<'go on' | Rest> {
    const { clock, runLimit } = this.#services;
    const { id, type, subject } = this.#claimed;
    const leftOut = this.#leftOut(step);
    const { attempts, failures, since } = this.#ledger.beginRun(step.name, this.#age());
    const before = this.#timeLeft(step, since);
    if (before.operation <= 0) return this.#overdue();
    const limit = Math.min(runLimit, before.operation, before.step > 0 ? before.step : Infinity);

    const abort = new AbortController();
    const startedAt = clock.monotonic();
    this.#current = { startedAt, abort };
    this.#announced = false;
    const makeLog = () => this.#makeLog({ stage: stage.name, step: step.name });
    let log: Logger | undefined;
    const context = {
      operation: { id, type, subject },
      facts: this.#ledger.facts,
      memory,
      attempt: attempts + 1,
      timeIsUp: before.step <= 0,
      notCompleted: this.#ledger.notCompleted,
      signal: abort.signal,
      // Most runs have nothing to say.
      get log() {
        return (log ??= makeLog());
      },
    };
    const met = leftOut ?? (await attempt(step, context, limit, abort, clock));
    this.#current = undefined;
    const isSkipped = met instanceof Interruption && met.why === 'skipped';
    const answer = isSkipped ? skip(this.#skips[step.name] ?? 'it was to be left out') : met;

    if (answer instanceof Interruption) {
      const record = { outcome: 'canceled', because: this.#cancelBecause, ...unexplained } as const;
      if (answer.why === 'canceled') {
        this.#ledger.endRun(stage.name, step.name, record, startedAt, clock.monotonic());
      }
      throw answer;
    }
    const left = this.#timeLeft(step, since);
    const { record, next } = judge(step, answer, failures, left);
    this.#ledger.endRun(stage.name, step.name, record, startedAt, clock.monotonic());
    if (leftOut || isSkipped) await this.#confirmLeftOut(step);
    switch (next.kind) {
      case 'go on':
        if (next.notCompleted) {
          context.log.error({ failure: next.notCompleted }, 'step not completed; going on');
          this.#ledger.leaveBehind(step.name);
        }
        this.#ledger.give(next.facts);
        return 'go on';
      case 'pause':
        if (record.outcome === 'retry') context.log.warn(record, 'step will be tried again');
        return this.#pause(next, record, since, left);
      case 'finish':
        return this.#succeed(next.because);
      case 'fail':
        context.log.error({ failure: next.failure }, 'operation failed');
        return this.#fail(next.failure.message, next.failure);
      default:
        return next satisfies never;
    }
  }

  async #pause(
    { for: duration, error }: Pause,
    { because, system }: Verdict['record'],
    since: Milliseconds,
    left: TimeLeft,
  ): Promise<Rest> {
    const pause = duration / this.#services.pace;
    const limits = { waited: this.#age() - since, time_left: Math.min(left.step, left.operation) };
    const savedAt = await this.#save({
      kind: 'park',
      pause,
      because,
      system,
      error: error ?? null,
      ...limits,
    });
    const isWanted = this.#cancelBecause !== null || this.#skips[this.#position?.step ?? ''];
    return isWanted ? savedAt : savedAt + pause;
  }

  /** A step that has come to its end cannot be left out any more. */
  #leftOut({ name }: RegisteredStep): Skip | undefined {
    const because = this.#skips[name];
    return because === undefined || this.#ledger.hasEnded(name) ? undefined : skip(because);
  }

  /** Whoever takes a skip back learns from the row whether that comes in time; if it did, the stage starts over. */
  async #confirmLeftOut({ name }: RegisteredStep): Promise<void> {
    await this.#save({ kind: 'keep' });
    if (!(name in this.#storedSkips)) throw new Interruption('handed back');
  }

  async #succeed(how: string): Promise<Rest> {
    const residue = this.#ledger.notCompleted.join(', ');
    const description = residue ? `${how}, but not completed: ${residue}` : how;
    this.#position = undefined;
    await this.#save({ kind: 'end', state: 'succeeded', description, error: null });
    return 'ended';
  }

  async #fail(description: string, error: Failure): Promise<Rest> {
    await this.#save({ kind: 'end', state: 'failed', description, error });
    return 'ended';
  }

  /** Says for what it was waiting when the time ran out. */
  #overdue(): Promise<Rest> {
    const waiting = Object.entries(this.#ledger.progress).find(
      // Steps before it were done again when the stage started over: they wait for nothing.
      ([, { since, record }]) =>
        since !== null && (record?.outcome === 'wait' || record?.outcome === 'retry'),
    );
    const last = waiting ? `; ${waiting[0]}: ${waiting[1].record?.because}` : '';
    const limit = inWords(this.#definition.timeLimit);
    const error = Object.assign(
      new TimeLimitReached(`the operation did not succeed within ${limit}${last}`),
      { system: this.#claimed.system },
    );
    return this.#fail(error.message, describeFailure(error, waiting?.[0] ?? this.#position?.step));
  }

  async #brokenOff(error: unknown): Promise<Rest> {
    if (!(error instanceof Interruption)) {
      // What happened cannot be stored (a fact that is no JSON, say), or there is a bug in here. The operation says so.
      this.#makeLog().error({ err: error }, 'operation cannot be carried on');
      this.#ledger.forgetUnsaved();
      const failure = describeFailure(error, this.#position?.step);
      return this.#fail(`the operation could not be carried on: ${failure.message}`, failure);
    }
    switch (error.why) {
      case 'canceled': {
        const description = `canceled: ${this.#cancelBecause}`;
        await this.#save({ kind: 'end', state: 'canceled', description, error: null });
        return 'ended';
      }
      case 'skipped': // it becomes the step's answer
      case 'handed back':
        return this.#save({ kind: 'park', pause: 0, ...notWaiting });
      case 'lease lost':
        this.#makeLog().warn('another replica has taken over this operation');
        return 'lost';
      default:
        return error.why satisfies never;
    }
  }

  /** One transaction. Afterwards, and only then, others hear of it. Returns when it was stored. */
  async #save(next: Next): Promise<Milliseconds> {
    const { id, epoch } = this.#claimed;
    const { facts, runs } = this.#ledger.unsaved();
    const { clock } = this.#services;
    const [at, offset] = [clock.monotonic(), clock.offset];
    const saved = await this.#services.save({
      id,
      epoch,
      replica: this.#services.replica,
      facts: this.#services.seal(facts),
      finished_stages: this.#ledger.finishedStages,
      progress: this.#ledger.progress,
      not_completed: this.#ledger.notCompleted,
      history_length: this.#ledger.historyLength,
      history: runs.map(({ startedAt, endedAt, ...run }) => ({
        ...run,
        started_ago: at - startedAt,
        ended_ago: at - endedAt,
      })),
      ...this.#position,
      ...next,
    });
    // A clock that was moved in the meantime has not moved what was stored.
    const savedAt = clock.monotonic() - (clock.offset - offset);
    if (saved === 'fenced') throw new Interruption('lease lost');
    this.#ledger.forgetUnsaved();
    this.#cancelBecause ??= saved.cancelBecause;
    this.#skips = { ...this.#skips, ...saved.skips };
    this.#storedSkips = saved.skips;
    this.#tell(next, runs);
    return savedAt;
  }

  #tell(next: Next, runs: readonly RecordedRun[]): void {
    const { id: operation, type, subject } = this.#claimed;
    const common = { operation, type, subject };
    const { emit } = this.#services;
    for (const { stage, step, outcome, attempt, because, system, startedAt, endedAt } of runs) {
      const duration = endedAt - startedAt;
      emit({ ...common, kind: 'step', stage, step, outcome, attempt, duration, because, system });
    }
    if (next.kind === 'park' && this.#position) {
      const { stage, step } = this.#position;
      const { because, system, pause } = next;
      emit({ ...common, kind: 'waiting', stage, step, because, system, for: pause });
    }
    if (next.kind === 'end') {
      const { state, description, error } = next;
      emit({ ...common, kind: 'ended', state, description, error, duration: this.#age() });
    }
  }

  #makeLog(fields: object = {}): Logger {
    const { id, type, subject } = this.#claimed;
    return this.#services.log.child({ operation: id, type, subject, ...fields });
  }

  /** Since its first run, without the time in which no worker was free. All limits count this. */
  #age(): Milliseconds {
    return this.#claimed.age + this.#services.clock.monotonic() - this.#claimedAt;
  }

  #timeLeft({ retry }: RegisteredStep, since: Milliseconds): TimeLeft {
    const age = this.#age();
    return {
      step: (retry?.within ?? Infinity) - (age - since),
      operation: this.#definition.timeLimit - age,
    };
  }
}

const unexplained = { system: null, errorClass: null };
const notWaiting = { because: null, system: null, error: null, waited: null, time_left: null };

function orLost(error: unknown): 'lost' {
  if (error instanceof Interruption && error.why === 'lease lost') return 'lost';
  throw error;
}
