import type { SystemSettings } from '#clients';
import type { Landscape, startLandscape } from '../../src/landscape/testing.ts';

/** What one client promises of one outside system: proved by tests/systems.test.ts, told in docs/systems.md. */
export type SystemContract = Files &
  Expectations & {
    /** In the words of the reference sheet's inventory, and where the sheet tells of it. */
    readonly title: string;
    readonly section: string;
    /** As errors name it. */
    readonly system: string;
    /** Where it is in the landscape, if not under its own name. */
    readonly prefix?: string;
    /** What stands there before each path: '/runtimes/{shoot}'. */
    readonly base?: string;
    readonly landscape: string;
    readonly simulators: readonly MakeSystem[];
    /** Of #clients: what makes the client. */
    readonly maker: string;
    /** Asked for before the first call, or before each. */
    readonly token?: string;
    /** A token endpoint that says no. */
    readonly tokenRefused?: Refusal;
    /** How it words its refusals; they repeat a secret. */
    readonly refusal?: (status: number) => { readonly body: string; readonly reason?: string };
    /** Of a cluster: to ask which kinds it has. */
    readonly kubeconfig?: (landscape: Landscape) => Promise<string>;
    /** Routes of the simulator, or kinds of a cluster, that no client calls: why they are there. */
    readonly others?: Readonly<Record<string, string>>;
    readonly open: (
      landscape: Landscape,
      limits: Limits,
      keepSecret: (secret: string) => void,
    ) => Promise<OpenContract>;
  };

export type OpenContract = {
  readonly client: object;
  /** By the name of the function: 'accounts.claim'; further cases of one as 'progress (location)'. */
  readonly calls: Readonly<Record<string, ContractCall>>;
};

/** Where to read more. */
export type Files = { readonly client: string; readonly test: string };

export type ContractCall = Partial<Files> &
  Expectations & {
    /** All that it asks for: 'GET /tenants/{id}', 'POST /graphql runtime' for a field of GraphQL, 'GET /?Action=List'. */
    readonly endpoints: readonly string[];
    /** Makes what the call needs. */
    readonly prepare?: () => Promise<unknown>;
    readonly call: (signal: AbortSignal) => Promise<unknown>;
    /** What the call gives where nothing was prepared. */
    readonly missing?: Outcome;
    /** Where one of the endpoints differs from the others. */
    readonly at?: Readonly<Record<string, Expectations>>;
  };

/** What differs from the rule of the sheet's section 2.1. Those of a call come before those of its contract. */
export type Expectations = {
  readonly on?: Readonly<Record<number, Outcome>>;
  /** An answer of status 200 that is a web page; a wrong answer by the rule. */
  readonly malformed?: Outcome;
  /** After its answer was lost: the same again, nothing but a refusal, or a second thing beside the first. */
  readonly repeated?: 'same' | 'second' | Refusal;
  /** Further answers, by what they are. */
  readonly answers?: Readonly<Record<string, Answer>>;
};

/** A text is sent as it is, all else as JSON. */
export type Answer = {
  readonly status: number;
  readonly body: object | string;
  readonly gives: Outcome;
};

/** 'nothing' is undefined, 'done' any value. */
export type Outcome = 'done' | 'nothing' | Refusal;

export type Refusal = {
  readonly temporary?: boolean;
  readonly reason?: string;
  readonly status?: number | undefined;
};

export type Limits = Omit<SystemSettings, 'url'>;
export type MakeSystem = NonNullable<
  NonNullable<Parameters<typeof startLandscape>[0]>['systems']
>[number];

/** `patient` is a second client, without the limits that the first one is tried with: to prepare things. */
export const contract = <Client extends object>({
  connect,
  calls,
  ...facts
}: Omit<SystemContract, 'open'> & {
  readonly connect: (
    landscape: Landscape,
    limits: Limits,
    keepSecret: (secret: string) => void,
  ) => Client | Promise<Client>;
  readonly calls: (
    client: Client,
    patient: Client,
    landscape: Landscape,
  ) => Record<string, ContractCall>;
}): SystemContract => ({
  ...facts,
  async open(landscape, limits, keepSecret) {
    const client = await connect(landscape, limits, keepSecret);
    const patient = await connect(landscape, {}, keepSecret);
    return { client, calls: calls(client, patient, landscape) };
  },
});

/** For calls that prepare something. */
export const { signal } = new AbortController();
