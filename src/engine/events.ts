import type { Logger } from 'pino';
import type { Database } from '#database';
import type { Milliseconds } from '#time';
import type { Failure } from './failure.ts';
import type { StepOutcome } from './step-runs-table.ts';
import { StandingConnection } from './standing-connection.ts';

/** What has happened to an operation. Told only after it was committed. */
export type OperationEvent = {
  readonly operation: string;
  readonly type?: string;
  readonly subject?: string;
} & (
  | { readonly kind: 'created' }
  | { readonly kind: 'claimed'; readonly replica: string; readonly late: Milliseconds }
  | {
      readonly kind: 'step';
      readonly stage: string;
      readonly step: string;
      readonly outcome: StepOutcome;
      readonly attempt: number;
      readonly duration: Milliseconds;
      readonly because: string | null;
      readonly system: string | null;
    }
  | {
      readonly kind: 'waiting';
      readonly stage: string;
      readonly step: string;
      readonly because: string | null;
      readonly system: string | null;
      readonly for: Milliseconds;
    }
  | { readonly kind: 'canceling'; readonly because: string }
  | { readonly kind: 'retried' }
  | { readonly kind: 'skipping'; readonly step: string; readonly because: string }
  | { readonly kind: 'unskipping'; readonly step: string }
  | {
      readonly kind: 'ended';
      readonly state: 'succeeded' | 'failed' | 'canceled';
      readonly description: string;
      readonly error: Failure | null;
      readonly duration: Milliseconds;
    }
);

export type Listener = (event: OperationEvent) => void;

// NOTIFY takes a lock of the whole database at commit, and a payload has at most 8000 bytes: events travel in bundles.
const bundleEvery = 100;
const longestBundle = 7_500;

/** Tells listeners in this process at once, and everybody who listens on the database a moment later. */
export class Events {
  readonly #database: Database;
  readonly #log: Logger;
  readonly #listeners = new Set<Listener>();
  #bundle: string[] = [];
  #timer: NodeJS.Timeout | undefined;

  constructor(database: Database, log: Logger) {
    this.#database = database;
    this.#log = log;
  }

  /** Returns what ends it. */
  listen(listener: Listener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** What this replica has done, and has committed. */
  emit(event: OperationEvent): void {
    this.tellHere(event);
    this.#bundle.push(brief(event));
    this.#timer ??= setTimeout(() => void this.flush(), bundleEvery);
  }

  /** What everybody hears from the database anyway. A listener that throws harms neither the engine nor the others. */
  tellHere(event: OperationEvent): void {
    for (const listener of this.#listeners) {
      try {
        listener(event);
      } catch (error) {
        this.#log.error({ err: error, event: event.kind }, 'a listener has thrown');
      }
    }
  }

  /** Events are news, not the record: if the database is away they are dropped, and the timeline still has it all. */
  async flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const payloads = bundles(this.#bundle);
    this.#bundle = [];
    if (payloads.length === 0) return;
    try {
      await this.#database.pool.query({
        name: 'events',
        text: `select pg_notify(current_schema() || '_events', payload) from json_array_elements_text($1) as payload`,
        values: [JSON.stringify(payloads)],
      });
    } catch (error) {
      this.#log.warn(
        { err: error, bundles: payloads.length },
        'events were not sent to other processes',
      );
    }
  }
}

function bundles(events: readonly string[]): string[] {
  const payloads: string[] = [];
  let bundle = '';
  for (const event of events) {
    if (bundle && Buffer.byteLength(bundle) + Buffer.byteLength(event) > longestBundle) {
      payloads.push(`[${bundle}]`);
      bundle = '';
    }
    bundle += (bundle && ',') + event;
  }
  if (bundle) payloads.push(`[${bundle}]`);
  return payloads;
}

const longestText = 300;

/** Long texts are cut for the journey; whoever wants all of it reads the operation. So every event fits a bundle. */
function brief(event: OperationEvent): string {
  const text = JSON.stringify(event);
  if (Buffer.byteLength(text) <= longestBundle) return text;
  return JSON.stringify(event, (_key, value: unknown) =>
    typeof value === 'string' && value.length > longestText
      ? `${value.slice(0, longestText)}…`.toWellFormed()
      : value,
  );
}

/** Follows the events of all replicas, from any process. `onGap` is called when some may have been missed. */
export async function watchEvents(
  database: Database,
  log: Logger,
  listener: Listener,
  onGap: () => void = () => undefined,
): Promise<{ readonly close: () => Promise<void> }> {
  const channels = { events: `${database.schema}_events`, wake: `${database.schema}_wake` };
  const connection = await StandingConnection.open(database, {
    onConnected: async (client) => {
      await client.query(`listen "${channels.events}"; listen "${channels.wake}"`);
    },
    onLost: onGap,
    onNotification: ({ channel, payload = '[]' }) => {
      try {
        const told: unknown = JSON.parse(payload);
        const events =
          channel === channels.events
            ? (told as OperationEvent[])
            : isNews(told)
              ? [eventOf(told)]
              : [];
        for (const event of events) listener(event);
      } catch (error) {
        log.error(
          { err: error, channel },
          'a watcher has thrown, or somebody else has used our channel',
        );
      }
    },
  });
  return { close: () => connection.close() };
}

type News = OperationEvent & {
  readonly kind: 'created' | 'canceling' | 'retried' | 'skipping' | 'unskipping' | 'ended';
  readonly id: string;
};

/** Of what wakes replicas, that which is also an event. */
export const isNews = (told: unknown): told is News =>
  typeof told === 'object' &&
  told !== null &&
  'kind' in told &&
  ['created', 'canceling', 'retried', 'skipping', 'unskipping', 'ended'].includes(
    String(told.kind),
  );

/** Messages that wake replicas call the operation `id`. */
export const eventOf = ({ id, ...news }: News): OperationEvent => ({ ...news, operation: id });
