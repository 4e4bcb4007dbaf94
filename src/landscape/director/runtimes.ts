import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { GraphQLError } from 'graphql';
import { seconds, type Milliseconds } from '#time';
import type { SimulatedTime } from '../simulated-time.ts';

type Labels = Record<string, unknown>;
export type RuntimeInput = {
  readonly name: string;
  readonly description?: string | null;
  readonly labels?: Labels | null;
  readonly statusCondition?: string | null;
};

/** So long after the one-time token was asked for, the agent in the runtime has used it. */
const agentConnectsAfter = seconds(60);

const codes = { NotFound: 20, InvalidData: 22, TenantRequired: 24 } as const;

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
  #connectsAt: Milliseconds = Infinity;
  #tokens = 0;

  constructor(time: SimulatedTime, tenant: string, input: RuntimeInput) {
    this.#time = time;
    this.tenant = tenant;
    this.#since = time.date().toISOString();
    this.update(input);
  }

  /** Takes the place of what was there; without labels or a condition those stay. */
  update({ name, description, labels, statusCondition }: RuntimeInput): void {
    this.#agentMayHaveConnected();
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
    this.#agentMayHaveConnected();
    checkKeys(labels);
    Object.assign(this.#labels, labels);
  }

  issueToken(): string {
    this.#agentMayHaveConnected();
    this.#tokens += 1;
    this.#connectsAt = this.#time.now() + agentConnectsAfter;
    return randomUUID();
  }

  /** A filter's query is the label's value as JSON; without one the label only has to be there. */
  fits(filter: readonly { readonly key: string; readonly query?: string | null }[]): boolean {
    this.#agentMayHaveConnected();
    return filter.every(({ key, query }) => {
      const value = this.#labels[key];
      return value !== undefined && (!query || isDeepStrictEqual(value, jsonOf(query)));
    });
  }

  /** As the schema has it. */
  answer() {
    this.#agentMayHaveConnected();
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
    this.#agentMayHaveConnected();
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

  #agentMayHaveConnected(): void {
    if (this.#time.now() < this.#connectsAt) return;
    this.#connectsAt = Infinity;
    const told = this.#labels['gardenerClusterDomain'];
    const domain = typeof told === 'string' ? told : `${this.id}.kyma.example.com`;
    this.#labels['runtime_consoleUrl'] = `https://console.${domain}`;
    this.#labels['runtime_eventServiceUrl'] = `https://gateway.${domain}`;
    this.#turn('CONNECTED');
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
