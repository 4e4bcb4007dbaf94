import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { GraphQLError } from 'graphql';
import { hours, type Milliseconds } from '#time';
import type { KeptState } from '../kept-state.ts';
import type { Surroundings } from '../simulated-system.ts';
import type { SimulatedTime } from '../simulated-time.ts';

type Labels = Record<string, unknown>;
export type RuntimeInput = {
  readonly name: string;
  readonly description?: string | null;
  readonly labels?: Labels | null;
  readonly statusCondition?: string | null;
};

/** For so long, and for one use. */
const tokenLifetime = hours(1);

const codes = { NotFound: 20, InvalidData: 22, TenantRequired: 24, Unauthorized: 26 } as const;

/** An error as Director makes them. */
export const refuse = (error: keyof typeof codes, message: string): GraphQLError =>
  new GraphQLError(message, { extensions: { error, error_code: codes[error] } });

/** What is registered, each runtime for its tenant alone. A name may be taken twice: registering again makes a second one. */
export class Runtimes {
  readonly #time: SimulatedTime;
  readonly #caller: () => string;
  readonly #all = new Map<string, Runtime>();

  constructor({ time, caller }: Surroundings) {
    this.#time = time;
    this.#caller = caller;
  }

  readonly state: KeptState = {
    save: () => this.all().map(({ record }) => record),
    restore: (saved) => {
      for (const record of saved as readonly RuntimeRecord[])
        // as save has made it
        this.#all.set(record.id, new Runtime(this.#time, record));
    },
  };

  all = (): Runtime[] => [...this.#all.values()];
  of = (tenant: string): Runtime[] => this.all().filter(({ record }) => record.tenant === tenant);

  find(tenant: string, id: string): Runtime | undefined {
    const runtime = this.#all.get(id);
    return runtime?.record.tenant === tenant ? runtime : undefined;
  }

  get(tenant: string, id: string): Runtime {
    const runtime = this.find(tenant, id);
    if (!runtime) throw refuse('NotFound', 'Object not found [object=runtime]');
    return runtime;
  }

  register(tenant: string, input: RuntimeInput): Runtime {
    const record = newRuntime(tenant, this.#time.date(), this.#caller());
    const runtime = new Runtime(this.#time, record);
    runtime.update(input);
    this.#all.set(record.id, runtime);
    return runtime;
  }

  remove(tenant: string, id: string): Runtime {
    const runtime = this.get(tenant, id);
    this.#all.delete(id);
    return runtime;
  }

  /** The agent of a runtime shows its one-time token: from now on the runtime is connected. */
  connect(token: string): void {
    const runtime = this.all().find((each) => each.useToken(token));
    if (!runtime) throw refuse('Unauthorized', 'the token is not valid, or was used before');
    runtime.connect();
  }
}

/** What is known of a runtime. */
type RuntimeRecord = {
  readonly id: string;
  readonly tenant: string;
  name: string;
  description: string | null;
  labels: Labels;
  condition: string;
  since: string;
  /** Until when each token is good. */
  readonly unused: Map<string, Milliseconds>;
  tokens: number;
  readonly askedBy: string;
};

const newRuntime = (tenant: string, now: Date, askedBy: string): RuntimeRecord => ({
  id: randomUUID(),
  tenant,
  name: '',
  description: null,
  labels: {},
  condition: 'INITIAL',
  since: now.toISOString(),
  unused: new Map(),
  tokens: 0,
  askedBy,
});

class Runtime {
  readonly record: RuntimeRecord;
  readonly #time: SimulatedTime;

  constructor(time: SimulatedTime, record: RuntimeRecord) {
    this.#time = time;
    this.record = record;
  }

  /** Takes the place of what was there; without labels or a condition those stay. */
  update({ name, description, labels, statusCondition }: RuntimeInput): void {
    if (!/^[-._0-9A-Za-z]+$/.test(name)) throw refuse('InvalidData', 'Invalid data [name]');
    if ((description?.length ?? 0) > 2000)
      throw refuse('InvalidData', 'Invalid data [description]');
    checkKeys(labels ?? {});
    this.record.name = name;
    this.record.description = description ?? null;
    if (labels) this.record.labels = { ...labels };
    if (statusCondition) this.#turn(statusCondition);
  }

  label(labels: Labels): void {
    checkKeys(labels);
    Object.assign(this.record.labels, labels);
  }

  issueToken(): { token: string; expiresAt: Date } {
    const token = randomUUID();
    this.record.tokens += 1;
    this.record.unused.set(token, this.#time.now() + tokenLifetime);
    return { token, expiresAt: new Date(this.#time.date().getTime() + tokenLifetime) };
  }

  /** Whether it was one that is still good. It is no longer. */
  useToken(token: string): boolean {
    const expiresAt = this.record.unused.get(token) ?? 0;
    this.record.unused.delete(token);
    return expiresAt > this.#time.now();
  }

  /** The runtime tells where it is. */
  connect(): void {
    const told = this.record.labels['gardenerClusterDomain'];
    const domain = typeof told === 'string' ? told : `${this.record.id}.kyma.example.com`;
    this.record.labels['runtime_consoleUrl'] = `https://console.${domain}`;
    this.record.labels['runtime_eventServiceUrl'] = `https://gateway.${domain}`;
    this.#turn('CONNECTED');
  }

  /** A filter's query is the label's value as JSON; without one the label only has to be there. */
  fits(filter: readonly { readonly key: string; readonly query?: string | null }[]): boolean {
    return filter.every(({ key, query }) => {
      const value = this.record.labels[key];
      return value !== undefined && (!query || isDeepStrictEqual(value, jsonOf(query)));
    });
  }

  /** As the schema has it. */
  answer() {
    const labels = { ...this.record.labels };
    return {
      id: this.record.id,
      name: this.record.name,
      description: this.record.description,
      labels: ({ key }: { key?: string | null }) =>
        key ? Object.fromEntries(Object.entries(labels).filter(([each]) => each === key)) : labels,
      status: { condition: this.record.condition, timestamp: this.record.since },
    };
  }

  summary() {
    const { id, tenant, name, condition, labels, tokens, askedBy } = this.record;
    return { id, tenant, name, condition, labels: { ...labels }, tokens, askedBy };
  }

  #turn(condition: string): void {
    this.record.condition = condition;
    this.record.since = this.#time.date().toISOString();
  }
}

function checkKeys(labels: Labels): void {
  const wrong = Object.keys(labels).find((key) => !/^[_0-9A-Za-z]+$/.test(key));
  if (wrong !== undefined) throw refuse('InvalidData', 'Invalid data [labels]');
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
