import { Problem } from './problem.ts';

/** What the Reconciler answers, as far as kcp reads it. */
export type Reconciliation = {
  readonly schedulingID: string;
  readonly runtimeID: string;
  readonly created: string;
  readonly updated?: string;
  readonly status: string;
  readonly lock?: string;
  readonly finished?: boolean;
};

export type ReconciliationInfo = Reconciliation & {
  readonly configVersion?: number;
  readonly operations: readonly ComponentOperation[];
};

export type ComponentOperation = {
  readonly component: string;
  readonly correlationID: string;
  readonly schedulingID: string;
  readonly priority: number;
  readonly state: string;
  readonly created: string;
  readonly updated?: string;
  readonly reason?: string;
  readonly type?: string;
};

export type ClusterState = {
  readonly cluster: {
    readonly runtimeID: string;
    readonly version?: number;
    readonly metadata?: { readonly shootName?: string };
  };
  readonly configuration: {
    readonly version?: number;
    readonly kymaVersion?: string;
    readonly kymaProfile?: string;
  };
  readonly status: {
    readonly status: string;
    readonly deleted?: boolean;
    readonly created?: string;
  };
};

/** Where there is none, the real one answers null. */
export const reconciliationsIn = (answer: unknown): readonly Reconciliation[] =>
  (answer === null ? [] : all(answer, 'schedulingID', 'runtimeID', 'status')) as never; // checked just now

export function infoIn(answer: unknown): ReconciliationInfo {
  const info = one(answer, 'schedulingID', 'runtimeID', 'status');
  const operations = all(info['operations'] ?? [], 'component', 'correlationID', 'state');
  return { ...info, operations } as never; // checked just now
}

export function clusterStateIn(answer: unknown): ClusterState {
  const state = one(answer);
  one(state['cluster'], 'runtimeID');
  one(state['configuration']);
  one(state['status'], 'status');
  return state as never; // checked just now
}

export const statusIn = (answer: unknown): string => String(one(answer, 'status')['status']);

/** Values that are marked as secret, wherever they are, are shown to nobody. */
export function withoutSecrets<Content>(content: Content): Content {
  if (Array.isArray(content)) return content.map(withoutSecrets) as never; // as many, of the same kind
  if (typeof content !== 'object' || content === null) return content;
  const isSecret = 'secret' in content && content.secret === true;
  return Object.fromEntries(
    Object.entries(content).map(([name, value]) => [
      name,
      isSecret && name === 'value' ? '<hidden>' : withoutSecrets<unknown>(value),
    ]),
  ) as never; // the same fields
}

function all(answer: unknown, ...texts: readonly string[]) {
  if (!Array.isArray(answer)) throw odd('a list');
  return answer.map((each) => one(each, ...texts));
}

function one(answer: unknown, ...texts: readonly string[]): Readonly<Record<string, unknown>> {
  if (typeof answer !== 'object' || answer === null || Array.isArray(answer))
    throw odd('an object');
  const fields = answer as Readonly<Record<string, unknown>>;
  for (const name of texts) if (typeof fields[name] !== 'string') throw odd(`a text as ${name}`);
  return fields;
}

const odd = (expected: string) =>
  new Problem(
    'error',
    `the Reconciler answered something that is not of its API (${expected} is missing): is mothership-api-url right (kcp config view)?`,
  );
