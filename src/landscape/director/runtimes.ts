import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { GraphQLError } from 'graphql';
import { hours, type Milliseconds } from '#time';
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
  readonly #all = new Map<string, Runtime>();

  constructor(time: SimulatedTime) {
    this.#time = time;
  }

  all = (): Runtime[] => [...this.#all.values()];
  of = (tenant: string): Runtime[] => this.all().filter((each) => each.tenant === tenant);

  find(tenant: string, id: string): Runtime | undefined {
    const runtime = this.#all.get(id);
    return runtime?.tenant === tenant ? runtime : undefined;
  }

  get(tenant: string, id: string): Runtime {
    const runtime = this.find(tenant, id);
    if (!runtime) throw refuse('NotFound', 'Object not found [object=runtime]');
    return runtime;
  }

  register(tenant: string, input: RuntimeInput): Runtime {
    const runtime = new Runtime(this.#time, tenant, input);
    this.#all.set(runtime.id, runtime);
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

class Runtime {
  readonly id = randomUUID();
  readonly tenant: string;
  readonly #time: SimulatedTime;
  #name = '';
  #description: string | null = null;
  #labels: Labels = {};
  #condition = 'INITIAL';
  #since: string;
  readonly #unused = new Map<string, Milliseconds>();
  #tokens = 0;

  constructor(time: SimulatedTime, tenant: string, input: RuntimeInput) {
    this.#time = time;
    this.tenant = tenant;
    this.#since = time.date().toISOString();
    this.update(input);
  }

  /** Takes the place of what was there; without labels or a condition those stay. */
  update({ name, description, labels, statusCondition }: RuntimeInput): void {
    if (!/^[-._0-9A-Za-z]+$/.test(name)) throw refuse('InvalidData', 'Invalid data [name]');
    if ((description?.length ?? 0) > 2000)
      throw refuse('InvalidData', 'Invalid data [description]');
    checkKeys(labels ?? {});
    this.#name = name;
    this.#description = description ?? null;
    if (labels) this.#labels = { ...labels };
    if (statusCondition) this.#turn(statusCondition);
  }

  label(labels: Labels): void {
    checkKeys(labels);
    Object.assign(this.#labels, labels);
  }

  issueToken(): { token: string; expiresAt: Date } {
    const token = randomUUID();
    this.#tokens += 1;
    this.#unused.set(token, this.#time.now() + tokenLifetime);
    return { token, expiresAt: new Date(this.#time.date().getTime() + tokenLifetime) };
  }

  /** Whether it was one that is still good. It is no longer. */
  useToken(token: string): boolean {
    const expiresAt = this.#unused.get(token) ?? 0;
    this.#unused.delete(token);
    return expiresAt > this.#time.now();
  }

  /** The runtime tells where it is. */
  connect(): void {
    const told = this.#labels['gardenerClusterDomain'];
    const domain = typeof told === 'string' ? told : `${this.id}.kyma.example.com`;
    this.#labels['runtime_consoleUrl'] = `https://console.${domain}`;
    this.#labels['runtime_eventServiceUrl'] = `https://gateway.${domain}`;
    this.#turn('CONNECTED');
  }

  /** A filter's query is the label's value as JSON; without one the label only has to be there. */
  fits(filter: readonly { readonly key: string; readonly query?: string | null }[]): boolean {
    return filter.every(({ key, query }) => {
      const value = this.#labels[key];
      return value !== undefined && (!query || isDeepStrictEqual(value, jsonOf(query)));
    });
  }

  /** As the schema has it. */
  answer() {
    const labels = { ...this.#labels };
    return {
      id: this.id,
      name: this.#name,
      description: this.#description,
      labels: ({ key }: { key?: string | null }) =>
        key ? Object.fromEntries(Object.entries(labels).filter(([each]) => each === key)) : labels,
      status: { condition: this.#condition, timestamp: this.#since },
    };
  }

  summary() {
    const { id, tenant } = this;
    return {
      id,
      tenant,
      name: this.#name,
      condition: this.#condition,
      labels: { ...this.#labels },
      tokens: this.#tokens,
    };
  }

  #turn(condition: string): void {
    this.#condition = condition;
    this.#since = this.#time.date().toISOString();
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
