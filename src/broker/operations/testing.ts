// For tests of operations: a runtime that is there, what became of its removal, and what is left of it out there.
import assert from 'node:assert/strict';
import { gardenerClient, kubernetesConnection } from '#clients';
import { inTransaction } from '#database';
import type { OperationDefinition } from '#engine';
import { hours, inWords, minutes } from '#time';
import { shootOf } from '../../clients/gardener/testing.ts';
import type { Landscape } from '../../landscape/testing.ts';
import { startBinding } from '../start-binding.ts';
import { startUnbinding } from '../start-unbinding.ts';
import { startUnsuspension } from '../start-unsuspension.ts';
import { startUpdate } from '../start-update.ts';
import { startUpgradeCluster, startUpgradeKyma } from '../start-upgrade.ts';
import type { ClusterUpgrade, KymaUpgrade } from '../steps/upgrade.ts';
import type { BrokerLimits } from '../services.ts';
import { startBroker, testSettings } from '../testing.ts';

export type World = Awaited<ReturnType<typeof startBroker>>;
type OrderDetails = Parameters<World['order']>[1];
type RemovalDetails = Parameters<World['remove']>[1];

export const { signal } = new AbortController();

/** Orders it, and comes back when it is there. */
export async function provisioned(
  world: World,
  plan = 'azure',
  order?: OrderDetails,
): Promise<string> {
  const { instanceId, operationId } = await world.order(plan, order);
  const { state, description } = await world.pass(operationId);
  assert.equal(state, 'succeeded', description);
  return instanceId;
}

/** Removes it to the end, and says how each step went. */
export async function removed(world: World, instanceId: string, request?: RemovalDetails) {
  const { id } = await world.remove(instanceId, request);
  const ended = await world.pass(id);
  const timeline = await world.engine.timeline(id);
  return {
    ended,
    timeline,
    /** The last line about the step. */
    lineOf: (step: string) => {
      const { outcome, because, runs } =
        timeline.findLast((line) => line.step === step) ?? assert.fail(`${step} did not run`);
      return { outcome, because, runs };
    },
  };
}

/** An administrator's connection to the runtime's cluster, to put something in there. */
export async function clusterOf(world: World, instanceId: string) {
  const { globalAccount, runtimeId = '' } = (await world.instance(instanceId)) ?? assert.fail();
  const { provisioner } = world.services.clients;
  const { kubeconfig } = await provisioner.runtimeStatus(globalAccount, runtimeId, signal);
  return kubernetesConnection('test', { kubeconfig: kubeconfig?.reveal() ?? assert.fail() });
}

/** Parameters of an order with a cluster of the customer's own, which is there from now on. */
export async function ownCluster({ landscape }: World, shootName = 'own-cluster') {
  const kubeconfig = await (await fetch(`${landscape.url}/gardener/kubeconfig`)).text();
  const gardener = gardenerClient({ kubeconfig, project: 'kyma' });
  await gardener.shoots.apply(shootOf(shootName, 'azure-eu-1'), signal);
  landscape.time.advance(minutes(6));
  const found = await gardener.shoots.adminKubeconfig(shootName, signal);
  const text = found?.kubeconfig.reveal() ?? assert.fail();
  return {
    kubeconfig: Buffer.from(text).toString('base64'),
    shootName,
    shootDomain: `${shootName}.example.com`,
  };
}

/**
 * All that exists out there. Not: what the provisioner has done, which is only a record, and of accounts, to whom those
 * belonged that were released.
 */
export function whatExists(landscape: Landscape) {
  const {
    provisioner: { operations: _done, ...provisioner } = {},
    gardener,
    ...others
  } = landscape.inventory();
  const all = gardener?.[bindings] as { labels: Record<string, string> }[]; // as the inventory lists objects
  const accounts = all.map(({ labels: { dirty, tenantName, ...labels }, ...binding }) => ({
    ...binding,
    labels: { ...labels, ...(tenantName !== undefined && dirty === undefined && { tenantName }) },
  }));
  return { ...others, provisioner, gardener: { ...gardener, [bindings]: accounts } };
}

const bindings = 'secretbindings.core.gardener.cloud';

export const accountsOf = (landscape: Landscape, tenantName: string) => {
  const all = landscape.inventory()['gardener']?.[bindings] ?? [];
  return (all as { name: string; labels: Record<string, string> }[]) // as the inventory lists objects
    .filter(({ labels }) => labels['tenantName'] === tenantName)
    .map(({ name, labels }) => ({ name, isReleased: labels['dirty'] === 'true' }));
};

type UpdateDetails = {
  readonly plan?: string;
  readonly parameters?: Parameters<typeof startUpdate>[2]['parameters'];
  readonly context?: Parameters<typeof startUpdate>[2]['context'];
  readonly maintenanceVersion?: string;
};

/** Begins an update as the API would. */
export async function beginUpdate(
  world: World,
  instanceId: string,
  { plan: planName, parameters = {}, context = {}, maintenanceVersion }: UpdateDetails,
): Promise<string> {
  const { database, services, engine } = world;
  const instance = (await world.instance(instanceId)) ?? assert.fail();
  const known = services.plans.find(instance.planId) ?? assert.fail();
  const { id } = known.catalog.plans[planName ?? instance.planName] ?? assert.fail();
  const plan = services.plans.find(id) ?? assert.fail();
  const asked = { plan, parameters, context, maintenanceVersion };
  const started = await inTransaction(database, (db) =>
    startUpdate({ ...services, engine }, instance, asked, db),
  );
  return started.id;
}

const starts = { upgradeKyma: startUpgradeKyma, upgradeCluster: startUpgradeCluster };

/** Begins an upgrade as an operator would. */
export async function beginUpgrade(
  { database, services, engine }: World,
  type: keyof typeof starts,
  instanceId: string,
  wanted: KymaUpgrade & ClusterUpgrade = {},
): Promise<string> {
  const started = await inTransaction(database, (db) =>
    starts[type]({ ...services, engine }, instanceId, wanted, db),
  );
  return started.id;
}

/** Brings a suspended instance back as the API would. */
export async function beginUnsuspension(world: World, instanceId: string): Promise<string> {
  const { database, services, engine } = world;
  const instance = (await world.instance(instanceId)) ?? assert.fail();
  const [last] = await engine.ofSubject(instanceId, 1);
  const started = await inTransaction(database, (db) =>
    startUnsuspension({ ...services, engine }, instance, last ?? assert.fail(), db),
  );
  return started.id;
}

/** Begins a binding as the API would, good for as long as can be. */
export async function beginBinding(
  world: World,
  instanceId: string,
  id = 'a-binding',
): Promise<string> {
  const { database, services, engine } = world;
  const { planId, serviceId, globalAccount } = (await world.instance(instanceId)) ?? assert.fail();
  const parameters = { expiration_seconds: 7200 };
  const binding = { id, instanceId, serviceId, planId, parameters, bindResource: {} };
  const started = await inTransaction(database, (db) =>
    startBinding(
      { ...services, engine },
      { ...binding, predecessorId: undefined },
      globalAccount,
      db,
    ),
  );
  return started?.id ?? assert.fail(`there is a binding ${id}`);
}

export async function beginUnbinding(
  { database, services, engine }: World,
  instanceId: string,
  bindingId = 'a-binding',
): Promise<string> {
  const started = await inTransaction(database, (db) =>
    startUnbinding({ ...services, engine }, { bindingId, instanceId }, db),
  );
  return started?.id ?? assert.fail(`there is no binding ${bindingId}`);
}

/** The customer knows of a maintenance that goes on. */
export async function toldOfMaintenance(
  { services, database }: World,
  instanceId: string,
  event = 'o-1',
): Promise<void> {
  const { clients, instances } = services;
  const start = new Date();
  await clients.spc?.createMaintenanceEvent(event, 'kyma', [{ instanceId, start }], signal);
  await instances.remember(database.pool, instanceId, { maintenanceEvents: { [event]: 1 } });
}

/** What the landscape's provisioner has of an instance's cluster. */
export async function shootOfInstance(world: World, instanceId: string) {
  const { globalAccount, runtimeId = '' } = (await world.instance(instanceId)) ?? assert.fail();
  const { provisioner } = world.services.clients;
  const { cluster } = await provisioner.runtimeStatus(globalAccount, runtimeId, signal);
  return cluster ?? assert.fail();
}

/** How AvS watches the instance's runtime: 'ACTIVE', 'MAINTENANCE', … */
export function evaluationsOf({ landscape }: World, instanceId: string): string[] {
  const all = landscape.inventory()['avs']?.['evaluations'] ?? [];
  return (all as { name: string; status: string }[]) // as the inventory lists them
    .filter(({ name }) => name.includes(instanceId))
    .map(({ status }) => status);
}

/** What the Reconciler was told last about the runtime. */
export async function reconciledOf(world: World, instanceId: string) {
  const { runtimeId } = (await world.instance(instanceId)) ?? assert.fail();
  const all = world.landscape.inventory()['reconciler']?.['clusters'] ?? [];
  const found = (all as { runtimeID: string; kymaVersion: string; status: string }[]) // likewise
    .find(({ runtimeID }) => runtimeID === runtimeId);
  return found ?? assert.fail('the Reconciler does not know it');
}

type Definition = { readonly definition: OperationDefinition };
type RunStep = OperationDefinition['stages'][number]['steps'][number]['run'];

/** The same operations, in which something comes upon the steps of one type when they have done their work. */
export const afterEachStep =
  (type: string, comeUpon: (step: string, running: Parameters<RunStep>[0]) => Promise<void>) =>
  (operations: readonly Definition[]): Definition[] =>
    operations.map(({ definition }) => {
      if (definition.type !== type) return { definition };
      const stages = definition.stages.map((stage) => ({
        ...stage,
        steps: stage.steps.map((step) => ({
          ...step,
          run: async (running: Parameters<RunStep>[0]) => {
            const outcome = await step.run(running);
            if (outcome.kind === 'done') await comeUpon(step.name, running);
            return outcome;
          },
        })),
      }));
      return { definition: { ...definition, stages } };
    });

/** A call of an operation to an outside system, by the step that makes it. */
export type FailingCall = readonly [
  step: string,
  system: string,
  where: { method?: string; path?: string; field?: string; nth?: number },
];

const outage = { kind: 'answer', status: 503 } as const;
const refusal = ({ field }: FailingCall[2]) =>
  ({
    kind: 'answer',
    status: field === undefined ? 400 : 200,
    body: JSON.stringify({
      errors: [{ message: 'no', extensions: { error_code: 400, error_reason: 'err_test' } }],
    }),
  }) as const;

/** Has the call fail twice, then be refused, then (if wanted) fail for ever, and says how it ends each time. */
export async function failing(
  world: World,
  [step, system, where]: FailingCall,
  begin: () => Promise<string>,
) {
  const { faults } = world.landscape;
  const run = async (fault: object, action: object) => {
    world.advance(hours(1)); // whatever the run before has left under way out there
    faults.add({ system, ...where, ...fault, action } as Parameters<typeof faults.add>[0]);
    const id = await begin();
    const { state, error, not_completed, subject } = await world.pass(id);
    faults.remove();
    for (const each of await world.engine.ofSubject(subject, 5)) await world.pass(each.id);
    const lines = await world.engine.timeline(id);
    const outcomes = lines.filter((each) => each.step === step).map(({ outcome }) => outcome);
    const residue = not_completed.includes(step);
    return { state, outcomes, residue, failedIn: error?.step, reason: error?.reason };
  };
  const many = { count: 1_000_000 };
  return {
    forAWhile: await run({ count: 2 }, outage),
    refused: await run(many, refusal(where)),
    forEver: () => run(many, outage),
  };
}

/** The table of contents, with how often and how long each step asks. */
export const contentsOf = ({ stages }: OperationDefinition) =>
  stages.map(({ name, steps }) => [
    name,
    ...steps.map((step) =>
      [step.name, step.retry?.every, step.retry?.within]
        .filter((each) => each !== undefined)
        .map((each) => (typeof each === 'number' ? inWords(each) : each))
        .join(', '),
    ),
  ]);

/** A runtime that was provisioned in good time, in a world where limits are soon reached. */
export async function impatientWorld(
  limits: Partial<BrokerLimits>,
  plan: string,
  order?: OrderDetails,
) {
  await using resources = new AsyncDisposableStack();
  const off = ['edp', 'ias'] as const;
  const patient = resources.use(await startBroker({ off }));
  const { database, landscape } = patient;
  const instanceId = await provisioned(patient, plan, order);
  await patient.stop();
  const settings = { limits: { ...testSettings.limits, ...limits } };
  const world = resources.use(await startBroker({ off, database, landscape, settings }));
  world.clock.advance(patient.clock.offset);
  const moved = resources.move();
  return { ...world, instanceId, [Symbol.asyncDispose]: () => moved.disposeAsync() };
}
