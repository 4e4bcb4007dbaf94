// For tests of the steps: what happened in an operation, and what is in the landscape because of it. Not exported by the door of the module.
import assert from 'node:assert/strict';
import { kubernetesConnection } from '#clients';
import {
  done,
  wait,
  type OperationDefinition,
  type StageMemory,
  type StoredOperation,
} from '#engine';
import { seconds } from '#time';
import { stage } from '../../clients/provisioner/testing.ts';
import type { Landscape } from '../../landscape/testing.ts';
import type { startBroker } from '../testing.ts';

export { base64, kubeconfigText, smallestOrder } from '../plans/testing.ts';
export { stage };

export type BrokerWorld = Awaited<ReturnType<typeof startBroker>>;
type Ordered = { readonly instanceId: string; readonly operationId: string };

/** Lets time pass until the operation has ended, and makes sure that it went well. */
export async function succeeds(world: BrokerWorld, { operationId }: Ordered): Promise<void> {
  const { state, error } = await world.pass(operationId);
  assert.equal(state, 'succeeded', JSON.stringify(error));
}

/** The same for one that goes wrong: why. */
export async function failureOf(world: BrokerWorld, { operationId }: Ordered) {
  const { state, error } = await world.pass(operationId);
  assert.equal(state, 'failed');
  return error ?? assert.fail('it does not say why');
}

/** Lets time pass until the stage is over. */
export const untilAfter = (
  world: BrokerWorld,
  { operationId }: Ordered,
  stageName: string,
): Promise<StoredOperation> =>
  world.pass(operationId, ({ finished_stages }) => finished_stages.includes(stageName));

/** How the runs of one step ended: 'done', 'retry: edp: cannot …'. */
export async function runsOf(world: BrokerWorld, { operationId }: Ordered, step: string) {
  const runs = await world.engine.timeline(operationId);
  return runs
    .filter((run) => run.step === step)
    .map(({ outcome, because }) => (because === null ? outcome : `${outcome}: ${because}`));
}

/** So often a system was asked this: `POST /v1/clusters`, or by the root field of a GraphQL request. */
export const timesAsked = (
  { requests }: Landscape,
  system: string,
  question: RegExp | string,
): number =>
  requests.filter((each) =>
    typeof question === 'string'
      ? each.system === system && each.fields?.includes(question)
      : each.system === system && question.test(`${each.method} ${each.path}`),
  ).length;

type Named = { readonly name: string; readonly labels?: Readonly<Record<string, string>> };
type ClusterObjects = {
  readonly shoot: string;
  readonly objects: Readonly<Record<string, readonly Named[]>>;
};
/** As the landscape lists what exists, and tests look at. */
type Inventory = {
  readonly avs: {
    readonly evaluations: Readonly<Record<'id' | 'name' | 'url', string>> & {
      readonly tags: readonly string[];
    };
    readonly compounds: { readonly id: number };
  };
  readonly edp: { readonly dataTenants: { readonly metadata: Readonly<Record<string, string>> } };
  readonly provisioner: {
    readonly runtimes: {
      readonly id: string;
      readonly name: string;
      readonly shoot: { readonly name: string; readonly provider: string };
    };
    readonly clusters: ClusterObjects;
  };
  readonly reconciler: {
    readonly clusters: {
      readonly runtimeID: string;
      readonly status: string;
      readonly components: readonly string[];
    };
  };
  readonly 'control-plane': {
    readonly secrets: Named;
    readonly 'kymas.operator.kyma-project.io': Named;
  };
  readonly director: { readonly runtimes: { readonly id: string } };
  readonly gardener: {
    readonly 'shoots.core.gardener.cloud': Named;
    readonly runtimes: ClusterObjects;
  };
};

/** What exists in a system of the landscape. */
export const inventoryOf = <
  System extends keyof Inventory,
  Kind extends keyof Inventory[System] & string,
>(
  landscape: Landscape,
  system: System,
  kind: Kind,
) => (landscape.inventory()[system]?.[kind] ?? []) as readonly Inventory[System][Kind][];

/** The objects of a kind in the cluster of a shoot. */
export const objectsIn = (landscape: Landscape, shoot: string, kind: string): readonly Named[] =>
  inventoryOf(landscape, 'provisioner', 'clusters').find((each) => each.shoot === shoot)?.objects[
    kind
  ] ?? [];

/** What operators do in the control plane's cluster: `configmaps` or `secrets` with these labels. */
export async function configure(
  { url }: Landscape,
  kind: 'configmaps' | 'secrets',
  object: { readonly name: string; readonly labels: object; readonly data: object },
): Promise<void> {
  const kubeconfig = await (await fetch(`${url}/control-plane/kubeconfig`)).text();
  const { name, labels, data } = object;
  await kubernetesConnection('test', { kubeconfig }).request({
    method: 'POST',
    path: `/api/v1/namespaces/kcp-system/${kind}`,
    body: { metadata: { name, labels }, data },
    what: 'configure',
    signal: new AbortController().signal,
  });
}

type Operations = readonly { readonly definition: OperationDefinition }[];
type RegisteredStep = OperationDefinition['stages'][number]['steps'][number];

/** The same operations, with one more step at the end of some stages. */
const withStepAtEnd = (
  operations: Operations,
  step: Pick<RegisteredStep, 'name' | 'run'>,
  stageName?: string,
) =>
  operations.map(({ definition }) => ({
    definition: {
      ...definition,
      stages: definition.stages.map((each) => {
        if (stageName !== undefined && each.name !== stageName) return each;
        const added = { ...step, name: `${step.name} ${each.name}`, weight: 1_000 };
        return { ...each, steps: [...each.steps, added] };
      }),
    },
  }));

/** Looks into what the steps of a stage have left in memory. */
export const lookingInto =
  (stageName: string, look: (memory: StageMemory) => void) => (operations: Operations) => {
    const run: RegisteredStep['run'] = async ({ memory }) => {
      look(memory);
      return done({});
    };
    return withStepAtEnd(operations, { name: 'Look into', run }, stageName);
  };

/** Every stage has come to its end, and starts over once nevertheless. */
export const eachStageTwice = (operations: Operations) =>
  withStepAtEnd(operations, {
    name: 'Start over',
    run: async ({ attempt }) => (attempt === 1 ? wait(seconds(1), 'once more') : done({})),
  });
