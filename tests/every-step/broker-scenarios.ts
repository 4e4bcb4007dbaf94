// What all scenarios of the broker have in common.
import assert from 'node:assert/strict';
import { minutes } from '#time';
import {
  accountsOf,
  clusterOf,
  ownCluster,
  provisioned,
  removed,
  signal,
  toldOfMaintenance,
  type World as BrokerWorld,
} from '../../src/broker/operations/testing.ts';
import {
  btpCredentials,
  startBroker,
  testContext,
  testSettings,
  type BrokerWorldOptions,
} from '../../src/broker/testing.ts';
import { comparable } from './comparable.ts';
import type { Exemption, Played } from './play.ts';

export type World = BrokerWorld & { readonly parameters: object };

export const instanceId = '3f2a7c1e-0000-4000-8000-00000000abcd';
export const withCredentials = { sm_operator_credentials: btpCredentials() };
export const everythingOn: BrokerWorldOptions = {
  settings: { avs: { ...testSettings.avs, tagClasses: { shootName: 1, seed: 2, region: 3 } } },
};

/** Opens a broker, looks at everything, and removes the instance. */
export const broker = (options: BrokerWorldOptions = everythingOn) => ({
  open: async (disturb: NonNullable<BrokerWorldOptions['disturb']>): Promise<World> => ({
    ...(await startBroker({ ...options, disturb })),
    parameters: {},
  }),
  look: everythingKnown,
  // Versions count writes; what the provisioner did is a record that stays; of accounts that were released, to whom they
  // belonged does. What customers were told cannot be taken back: that is looked at, and not among what is to be gone.
  ignored: [
    'resourceVersion',
    'managedFields',
    'operations',
    'tenantName',
    'dirty',
    'updatedAt',
    'spc',
    'startDateTime',
    'endDateTime',
  ],
  // Names of the shoot and of the runtime; ids of AvS and IAS.
  drawn: /\b(?:c-\d[0-9a-f]{6}|[a-f][0-9a-f]{6}|demo-[a-z]{5}|9876543\d\d|[0-9a-f]{24})\b/g,
  remove: async (world: World) => {
    if (!(await world.instance(instanceId))) return;
    const { ended } = await removed(world, instanceId, { userAgent: 'accountcleanup-job' });
    assert.equal(ended.description, 'succeeded');
  },
});

type OrderDetails = Parameters<World['order']>[1];

export const ordering = (plan: string, context: object = withCredentials) => ({
  begin: async (world: World) => (await world.order(plan, orderIn(world, context))).operationId,
});

export const orderIn = ({ parameters }: World, context: object): OrderDetails => ({
  instanceId,
  parameters,
  context,
});

/** Theirs was there before, and stays. */
export const withOwnCluster = (options: BrokerWorldOptions = everythingOn) => ({
  ...broker(options),
  open: async (disturb: NonNullable<BrokerWorldOptions['disturb']>): Promise<World> => {
    const world = await startBroker({ ...options, disturb });
    return { ...world, parameters: await ownCluster(world) };
  },
});

/** AvS knows no key, and cannot be asked by name. */
const evaluationsMayStay: Exemption = {
  lostAnswersOf: /of avs POST \/api\/v2\/evaluationmetadata /,
  because: 'each lost answer of a creation may leave one evaluation in AvS, and nothing else',
  check(played, expected, lost) {
    assert.equal(played.ended.state, 'succeeded');
    const { evaluations: left, others } = withoutEvaluations(played.left);
    assert.deepEqual(others, withoutEvaluations(expected.untouched).others);
    assert.ok(left.length <= lost, `${left.length} evaluations are left of ${lost} lost answers`);
  },
};

/** Nor does it know that a tag is there, or take one away. */
const tagsMayRepeat: Exemption = {
  steps: ['AVS_Create_External_Eval_Step', 'AVS_Tags'], // whoever does the one goes on with the other
  mode: 'taken over',
  because:
    'a replica that is believed dead may add the same tags in AvS once more, and nothing else',
  check(played, expected) {
    const withTagsOnce = ({ end }: Played) =>
      JSON.parse(JSON.stringify(end), (key, value: unknown) =>
        key === 'tags' && Array.isArray(value) ? [...new Set(value)] : value,
      ) as unknown;
    assert.deepEqual(withTagsOnce(played), withTagsOnce(expected));
    assert.deepEqual(played.left, played.untouched);
  },
};

export const provisioning = { operation: 'provision', exemptions: [evaluationsMayStay] } as const;
export const provisioningWithTags = {
  operation: 'provision',
  exemptions: [evaluationsMayStay, tagsMayRepeat],
} as const;

/** Something is there for every step of a removal. */
export async function everythingThere(world: World, plan: string): Promise<void> {
  await provisioned(world, plan, orderIn(world, withCredentials));
  const { ias } = world.services.clients;
  await ias?.createServiceProvider(`SKR Grafana (instanceID: ${instanceId})`, signal);
  const cluster = await clusterOf(world, instanceId);
  await cluster.request({
    method: 'POST',
    path: '/apis/services.cloud.sap.com/v1/namespaces/kyma-system/serviceinstances',
    body: {
      apiVersion: 'services.cloud.sap.com/v1',
      kind: 'ServiceInstance',
      metadata: { name: 'database' },
    },
    what: 'order a service',
    signal,
  });
  await toldOfMaintenance(world, instanceId);
  world.advance(minutes(5));
}

/** The row, who has which account, how many clusters the provisioner was asked for, and what the customer was told. */
export async function everythingKnown(world: World) {
  const asked = world.landscape.inventory()['provisioner']?.['operations'] ?? [];
  return {
    stored: await world.instance(instanceId),
    accounts: accountsOf(world.landscape, testContext.globalaccount_id),
    asked: asked.length,
    told: world.landscape.inventory()['spc']?.['maintenanceEvents'],
  };
}

type Inventory = {
  readonly avs: { readonly evaluations: readonly unknown[]; readonly compounds: unknown };
};

function withoutEvaluations(inventory: Played['left']) {
  const { avs, ...others } = inventory as Inventory; // as the landscape lists what exists
  // Ids were numbered in the order in which they appear, and some of them stood in what is left out.
  return { evaluations: avs.evaluations, others: comparable(others, { drawn: /id \d+/g }) };
}
