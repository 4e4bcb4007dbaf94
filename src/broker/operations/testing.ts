// For tests of operations: a runtime that is there, what became of its removal, and what is left of it out there.
import assert from 'node:assert/strict';
import { gardenerClient, kubernetesConnection } from '#clients';
import { minutes } from '#time';
import { shootOf } from '../../clients/gardener/testing.ts';
import type { Landscape } from '../../landscape/testing.ts';
import type { startBroker } from '../testing.ts';

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
