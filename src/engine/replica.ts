import type { Logger } from 'pino';
import { openSecrets, sealSecrets, type Database, type Keyring } from '#database';
import { seconds, type Clock, type Milliseconds } from '#time';
import {
  announceSteps,
  claim,
  handBack,
  putOff,
  type Advance,
  type ClaimedOperation,
} from './claims.ts';
import type { Definitions } from './definitions.ts';
import { eventOf, isNews, type Events } from './events.ts';
import { GroupCommit, isRefusal, type Saved } from './group-commit.ts';
import { Lease } from './lease.ts';
import type { Facts } from './operation.ts';
import { OperationRun, type Rest } from './operation-run.ts';
import type { Wake } from './operations-table.ts';
import { buryDeadReplicas, freeOwnerless } from './replicas-table.ts';

export type ReplicaSettings = {
  /** Shown to people: which process it was. */
  readonly name: string;
  /** Operations that run at the same time. What waits does not count. */
  readonly workers: number;
  /** A replica that shows no sign of life for so long is dead. */
  readonly lease: Milliseconds;
  /** Looks for work this often even if nobody called, because a NOTIFY can be lost. */
  readonly poll: Milliseconds;
  /** So long running steps may go on after the shutdown began. */
  readonly grace: Milliseconds;
  /** One run of one step may take so long. */
  readonly runLimit: Milliseconds;
  /** Pauses are this many times shorter than steps ask for: for demos, in which the outside world is as much faster. */
  readonly pace: number;
};

export type ReplicaServices = {
  readonly database: Database;
  readonly definitions: Definitions;
  readonly keyring: Keyring;
  readonly clock: Clock;
  readonly events: Events;
  readonly log: Logger;
};

// Claims in quick succession would take one operation each; so far apart they take what has gathered.
const claimGap: Milliseconds = 3;
// With a backlog, a quarter of the workers is worth a claim at once; fewer are after so long.
const claimPatience: Milliseconds = 20;
const savePauses = { first: 50, longest: 1_000 };
const putOffFor = seconds(60);

/** One of any number of equal workers on one database: claims what is due, runs it, stores what happened. */
export class Replica {
  readonly #settings: ReplicaSettings;
  readonly #services: ReplicaServices;
  readonly #types: string[];
  readonly #commits: GroupCommit;
  readonly #lease: Lease;
  readonly #running = new Map<string, OperationRun>();
  #stopping = false;
  #onIdle: (() => void) | undefined;
  #timer: { dueAt: Milliseconds; callOff: () => void } | undefined;
  #claiming: Promise<void> | undefined;
  #claimAgain = false;
  #lastClaim = -Infinity;
  #backlog = false;

  constructor(settings: ReplicaSettings, services: ReplicaServices) {
    this.#settings = settings;
    this.#services = services;
    this.#types = services.definitions.types;
    this.#commits = new GroupCommit(services.database, () => services.clock.offset);
    this.#lease = new Lease(
      services.database,
      settings.name,
      settings.lease,
      {
        onHeld: () => this.#lookIn(0),
        onLost: () => this.#dropAll(),
        onWake: (news) => this.#hear(news),
      },
      services.log,
    );
  }

  /** Operations that this replica runs at this moment. */
  get running(): number {
    return this.#running.size;
  }

  /** Works until the signal is aborted, then lets running steps finish within the grace time. */
  async work(signal: AbortSignal): Promise<void> {
    const { lease, poll } = this.#settings;
    await this.#lease.take();
    const duties = setInterval(() => void this.#everySecond(), lease / 4);
    const sweep = setInterval(() => void this.#sweep(), poll);
    try {
      await aborted(signal);
      await this.#shutDown();
    } finally {
      clearInterval(duties);
      clearInterval(sweep);
      this.#timer?.callOff();
      await this.#lease.release();
    }
  }

  async #shutDown(): Promise<void> {
    const { database, clock, events, log } = this.#services;
    const id = this.#lease.id;
    this.#stopping = true;
    await this.#claiming;
    for (const run of this.#running.values()) run.handBack(false);
    await this.#untilIdle(this.#settings.grace);
    for (const run of this.#running.values()) run.handBack(true);
    await this.#untilIdle(seconds(1));
    await events.flush();
    try {
      const left = id === undefined ? 0 : await handBack(database.pool, clock.offset, id);
      log.info({ replica: this.#settings.name, left }, 'shut down; everything was handed back');
    } catch (error) {
      log.warn(
        { err: error },
        'shut down without the database; others take over when the lease ends',
      );
    }
  }

  #dropAll(): void {
    const { name } = this.#settings;
    this.#services.log.error(
      { replica: name, running: this.#running.size },
      'the lease is lost; others take over',
    );
    for (const run of this.#running.values()) run.drop();
  }

  async #untilIdle(atMost: Milliseconds): Promise<void> {
    if (this.#running.size === 0) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#onIdle = resolve;
    const timer = setTimeout(resolve, atMost);
    await promise;
    clearTimeout(timer);
  }

  #hear(news: Wake): void {
    const run = this.#running.get(news.id);
    if (news.kind === 'canceling') run?.cancel(news.because);
    else if (news.kind === 'skipping' && run) run.skip(news.step, news.because);
    else if (news.kind === 'unskipping') run?.unskip(news.step);
    else this.#lookIn(0);
    if (isNews(news)) this.#services.events.tellHere(eventOf(news));
  }

  /** One timer, on the earliest moment at which there may be something to do. */
  #lookIn(delay: Milliseconds): void {
    if (this.#stopping) return;
    const { clock } = this.#services;
    const at = clock.monotonic();
    const dueAt = Math.max(at + delay, this.#lastClaim + claimGap);
    if (this.#timer) {
      if (this.#timer.dueAt <= dueAt) return;
      this.#timer.callOff();
    }
    const callOff = clock.after(dueAt - at, () => {
      this.#timer = undefined;
      this.#claim();
    });
    this.#timer = { dueAt, callOff };
  }

  /** What is heard while a claim is under way may be too new for it: then another one follows. */
  #claim(): void {
    if (this.#claiming) {
      this.#claimAgain = true;
      return;
    }
    const free = this.#settings.workers - this.#running.size;
    const replica = this.#lease.id;
    if (this.#stopping || replica === undefined) return;
    if (free === 0) {
      this.#backlog = true; // whoever becomes free looks
      return;
    }
    const sinceLast = this.#services.clock.monotonic() - this.#lastClaim;
    if (this.#backlog && free < this.#settings.workers / 4 && sinceLast < claimPatience) {
      this.#lookIn(claimPatience - sinceLast);
      return;
    }
    this.#claiming = this.#take(replica, free).finally(() => {
      this.#claiming = undefined;
      this.#lastClaim = this.#services.clock.monotonic();
      if (this.#claimAgain) this.#lookIn(0);
      this.#claimAgain = false;
    });
  }

  async #take(replica: number, free: number): Promise<void> {
    const { database, clock, log } = this.#services;
    const { offset } = clock;
    try {
      const found = await claim(database.pool, offset, replica, this.#types, free);
      this.#backlog = found.more;
      for (const operation of found.operations) void this.#carry(operation);
      const next = found.more && this.#running.size < this.#settings.workers ? 0 : found.nextIn;
      const moved = clock.offset - offset; // while the database answered
      this.#lookIn(Math.min((next ?? Infinity) - moved, this.#settings.poll));
    } catch (error) {
      log.warn({ err: error }, 'could not look for work; will look again');
      this.#lookIn(Math.min(seconds(1), this.#settings.poll));
    }
  }

  /** Runs the operation until it rests. Whatever happens, it is then in the database with a due time, or ended. */
  async #carry(claimed: ClaimedOperation): Promise<void> {
    const { id, type, subject, late } = claimed;
    const { events, clock } = this.#services;
    const { name: replica } = this.#settings;
    events.emit({ operation: id, type, subject, kind: 'claimed', replica, late });
    const run = this.#makeRun(claimed);
    this.#running.set(id, run);
    if (this.#stopping) run.handBack(true);
    const rest = await run.untilItRests().catch((error: unknown) => this.#putOff(claimed, error));
    if (this.#running.get(id) === run) this.#running.delete(id);
    if (this.#running.size === 0) this.#onIdle?.();
    if (this.#backlog) this.#lookIn(0);
    else if (typeof rest === 'number') this.#lookIn(rest - clock.monotonic());
  }

  #makeRun(claimed: ClaimedOperation): OperationRun {
    const { id, type } = claimed;
    const { events, log, definitions, keyring, clock } = this.#services;
    const facts = openSecrets(claimed.facts, keyring, id) as Facts; // as they were sealed
    return new OperationRun(claimed, facts, definitions.get(type), {
      clock,
      log,
      replica: this.#settings.name,
      runLimit: this.#settings.runLimit,
      pace: this.#settings.pace,
      leaseProven: () => this.#lease.proven(),
      save: (what) => this.#save(what),
      seal: (given) => sealSecrets(given, keyring, id),
      emit: (event) => events.emit(event),
    });
  }

  /** Tries until the database answers: what a step has done must not be forgotten because the database was away. */
  async #save(what: Advance): Promise<Saved> {
    const { log } = this.#services;
    for (let pause = savePauses.first; ; pause = Math.min(pause * 2, savePauses.longest)) {
      try {
        return await this.#commits.save(what);
      } catch (error) {
        if (isRefusal(error)) throw error;
        log.warn({ err: error, operation: what.id }, 'could not store progress; will try again');
      }
      await later(pause);
      await this.#lease.proven();
    }
  }

  /** Not even its failure could be stored. It is left alone for a minute, by whoever is then ready to try. */
  async #putOff({ id, epoch }: ClaimedOperation, error: unknown): Promise<Rest> {
    const { database, clock, log } = this.#services;
    log.error({ err: error, operation: id }, 'could not carry on with an operation; it is put off');
    for (let pause = savePauses.first; ; pause = Math.min(pause * 2, savePauses.longest)) {
      try {
        await putOff(database.pool, clock.offset, id, epoch, putOffFor);
        return 'lost';
      } catch (another) {
        log.warn(
          { err: another, operation: id },
          'could not put the operation off; will try again',
        );
      }
      await later(pause);
      await this.#lease.proven();
    }
  }

  /** Says what has been running for long, and buries the dead. */
  async #everySecond(): Promise<void> {
    const { database, clock, log } = this.#services;
    const { lease } = this.#settings;
    const id = this.#lease.id;
    if (id === undefined) return;
    try {
      const long = [...this.#running.values()].flatMap((run) => run.longRunning(lease / 8) ?? []);
      if (long.length > 0) await announceSteps(database.pool, id, long);
      // After an outage of the database everybody is late: the others get the time to come back first.
      if (this.#lease.heldFor < lease / 2) return;
      const { dead, freed } = await buryDeadReplicas(database, clock.offset, id, lease);
      if (dead.length > 0) {
        log.warn({ dead, freed }, 'took over from dead replicas');
        this.#lookIn(0);
      }
    } catch (error) {
      log.warn({ err: error }, 'could not look after the other replicas; will try again');
    }
  }

  /** The safety net below the net: finds what is claimed by nobody. */
  async #sweep(): Promise<void> {
    const { database, clock, log } = this.#services;
    try {
      const freed = await freeOwnerless(database.pool, clock.offset);
      if (freed > 0)
        log.error({ freed }, 'operations were claimed by a replica that does not exist');
      this.#lookIn(0);
    } catch (error) {
      log.warn({ err: error }, 'could not look for lost operations; will try again');
    }
  }
}

// Real time: leases and outages of the database do not follow a clock that tests move.
const later = (duration: Milliseconds) =>
  new Promise<void>((resolve) => setTimeout(resolve, duration));

const aborted = (signal: AbortSignal) =>
  new Promise<void>((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
