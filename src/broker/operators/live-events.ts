import type { Engine, OperationEvent } from '#engine';

/** What a subscriber hears: an event, or that some may have been missed. */
export type Heard = OperationEvent | 'gap';

const mostKept = 1_000;

/**
 * The events of all replicas, for any number of listeners in this process: one watch on the database, as long as somebody
 * listens. A listener that does not keep up is told of the gap instead of what it has missed, and holds no more memory
 * than any other.
 */
export class LiveEvents {
  readonly #open: Engine['watch'];
  readonly #subscriptions = new Set<Subscription>();
  #watch: Promise<{ close: () => Promise<void> }> | undefined;

  constructor(watch: Engine['watch']) {
    this.#open = watch;
  }

  get listeners(): number {
    return this.#subscriptions.size;
  }

  /** From the moment on at which this resolves; until the signal is aborted, or nobody reads on. */
  async subscribe(
    signal: AbortSignal,
    wanted: (event: OperationEvent) => boolean = () => true,
  ): Promise<AsyncIterable<Heard>> {
    const subscription = new Subscription(wanted);
    this.#subscriptions.add(subscription);
    const leave = () => this.#leave(subscription);
    signal.addEventListener('abort', leave, { once: true });
    if (signal.aborted) leave();
    try {
      this.#watch ??= this.#open(
        (event) => this.#tell(event),
        () => this.#tell('gap'),
      );
      await this.#watch;
    } catch (error) {
      this.#watch = undefined;
      leave();
      throw error;
    }
    return subscription.read(leave);
  }

  #tell(heard: Heard): void {
    for (const subscription of this.#subscriptions) subscription.hear(heard);
  }

  #leave(subscription: Subscription): void {
    subscription.end();
    this.#subscriptions.delete(subscription);
    if (this.#subscriptions.size > 0) return;
    const watch = this.#watch;
    this.#watch = undefined;
    // Whoever comes meanwhile has a watch of their own.
    void watch?.then(
      ({ close }) => close(),
      () => undefined, // it was told to whoever wanted to listen
    );
  }
}

class Subscription {
  readonly #wanted: (event: OperationEvent) => boolean;
  #kept: Heard[] = [];
  #wake: (() => void) | undefined;
  #ended = false;

  constructor(wanted: (event: OperationEvent) => boolean) {
    this.#wanted = wanted;
  }

  hear(heard: Heard): void {
    if (this.#ended || (heard !== 'gap' && !this.#wanted(heard))) return;
    if (this.#kept.length >= mostKept) this.#kept = ['gap'];
    else if (heard !== 'gap' || this.#kept.at(-1) !== 'gap') this.#kept.push(heard);
    this.#wake?.();
  }

  end(): void {
    this.#ended = true;
    this.#kept = [];
    this.#wake?.();
  }

  async *read(leave: () => void): AsyncGenerator<Heard> {
    try {
      while (!this.#ended) {
        const kept = this.#kept;
        this.#kept = [];
        yield* kept;
        if (this.#kept.length > 0 || this.#ended) continue;
        const { promise, resolve } = Promise.withResolvers<void>();
        this.#wake = resolve;
        await promise;
      }
    } finally {
      leave();
    }
  }
}
