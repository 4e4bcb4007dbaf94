import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { hours } from '#time';
import { operationsTable, registeredOperations, tableFile } from './operations-table.ts';

const registered = await registeredOperations();
const everyOperation = Object.entries(registered).flatMap(([service, definitions]) =>
  definitions.map((definition) => ({ service, ...definition })),
);
const stepsOf = ({ stages }: (typeof everyOperation)[number]) =>
  stages.flatMap(({ name: stage, steps }) => steps.map((step) => ({ stage, ...step })));

test('docs/operations.md tells what is registered', async () => {
  assert.equal(
    await operationsTable(registered),
    await readFile(tableFile, 'utf8'),
    'an operation changed: run "npm run operations" and review the difference',
  );
});

test('every step says what it does, in which field, and whom to ask', () => {
  const silent = everyOperation.flatMap((operation) =>
    stepsOf(operation).flatMap(({ name, about, domain, owner }) =>
      about && domain && owner ? [] : [`${operation.service} ${operation.type}: ${name}`],
    ),
  );
  assert.deepEqual(silent, []);
});

/** What the newest founding document promises: the field of each step, and the team where it names one. */
const founding: Readonly<Record<string, readonly (readonly [string, string, string?])[]>> = {
  provision: [
    ['Starting', 'Provisioning', 'Team Gopher'],
    ['Provision_Initialization', 'Provisioning', 'Team Gopher'],
    ['Resolve_Target_Secret', 'Hyperscaler Account Pool', 'Team Framefrog'],
    ['AVS_Create_Internal_Eval_Step', 'AvS', 'Team Gopher'],
    ['EDP_Registration', 'Event Data Platform', 'Team Gopher'],
    ['Overrides_From_Secrets_And_Config_Step', 'Kyma overrides', 'Team Gopher'],
    ['BTPOperatorOverrides', 'BTP', 'Team Gopher'],
    ['BusolaMigratorOverrides', 'Busola', 'Team Hasselhoff'],
    ['Create_Runtime_Without_Kyma', 'Provisioning', 'Team Gopher'],
    ['Check_Runtime', 'Provisioning', 'Team Gopher'],
    ['Get_Kubeconfig', 'Provisioning', 'Team Gopher'],
    ['Inject_BTP_Operator_Credentials', 'Provisioning', 'Team Gopher'],
    ['Create_Cluster_Configuration', 'Reconciler', 'Team Gopher'],
    ['Check_Cluster_Configuration', 'Reconciler', 'Team Gopher'],
    ['Apply_Kyma', 'Lifecycle Manager', 'Team Gopher'],
    ['AVS_Create_External_Eval_Step', 'AvS', 'Team Gopher'],
    ['AVS_Tags', 'AvS', 'Team Gopher'],
  ],
  deprovision: [
    ['Init_Step', 'Deprovisioning'],
    ['BTPOperator_Cleanup', 'BTP'],
    ['De-provision_AVS_Evaluations', 'AvS'],
    ['EDP_Deregistration', 'Event Data Platform'],
    ['IAS_Deregistration', 'Identity Authentication Service'],
    ['Deregister_Cluster', 'Reconciler'],
    ['Check_Cluster_Deregistration', 'Reconciler'],
    ['Remove_Runtime', 'Provisioner'],
    ['Check_Runtime_Removal', 'Provisioner'],
    ['Release_Subscription', 'Subscriptions'],
    ['Remove_Instance', 'Deprovisioning'],
  ],
  update: [
    ['Update_Kyma_Initialization', 'Update'],
    ['Upgrade_Shoot', 'Provisioner'],
    ['Update_Init_Kyma_Version', 'Update'],
    ['Get_Kubeconfig', 'Provisioning'],
    ['BTPOperatorOverrides', 'BTP'],
    ['Apply_Reconciler_Configuration', 'Reconciler'],
    ['CheckReconcilerState', 'Reconciler'],
    ['Check_Runtime', 'Provisioning'],
  ],
  upgradeKyma: [
    ['Check_Cluster_Configuration', 'Reconciler', 'Team Gopher'],
    ['Get_Kubeconfig', 'Provisioning', 'Team Gopher'],
    ['BTPOperatorOverrides', 'BTP', 'Team Gopher'],
    ['Overrides_From_Secrets_And_Config_Step', 'Kyma overrides', 'Team Gopher'],
    ['BusolaMigratorOverrides', 'Busola', 'Team Hasselhoff'],
    ['Send_Notification', 'SPC', 'Team SRE'],
    ['Apply_Cluster_Configuration', 'Reconciler', 'Team Gopher'],
  ],
  upgradeCluster: [
    ['Send_Notification', 'SPC'],
    ['Upgrade_Cluster', 'Provisioner'],
  ],
};

for (const [type, expected] of Object.entries(founding)) {
  test(`${type} has all ${expected.length} steps of the founding documents, of the same field and team`, () => {
    const found = everyOperation.find((each) => each.service === 'Broker' && each.type === type);
    assert.ok(found, `there is no operation ${type}`);
    const steps = new Map(stepsOf(found).map((step) => [step.name, step]));
    assert.deepEqual(
      expected.map(([name, , team]) => {
        const { domain, owner } = steps.get(name) ?? {};
        return team === undefined ? [name, domain] : [name, domain, owner];
      }),
      expected,
    );
  });
}

/** In their order; the documents name none of the upgrades. */
const stages: Readonly<Record<string, readonly string[]>> = {
  provision: [
    'start',
    'create_runtime',
    'check_runtime',
    'configure_runtime',
    'check_kyma',
    'create_kyma_resource',
    'post_actions',
  ],
  update: ['cluster', 'btp-operator', 'btp-operator-check', 'check'],
};

for (const [type, expected] of Object.entries(stages)) {
  test(`the stages of ${type} are those of the founding documents, in their order`, () => {
    const found = everyOperation.find((each) => each.service === 'Broker' && each.type === type);
    assert.deepEqual(
      found?.stages.map(({ name }) => name),
      expected,
    );
  });
}

test('the steps of an update stand in the stages of the founding documents, in their order', () => {
  const update = everyOperation.find(
    ({ service, type }) => service === 'Broker' && type === 'update',
  );
  const names = new Set(founding['update']?.map(([name]) => name));
  assert.deepEqual(
    (update ? stepsOf(update) : [])
      .filter(({ name }) => names.has(name))
      .map(({ stage, name }) => `${stage}: ${name}`),
    [
      'cluster: Update_Kyma_Initialization',
      'cluster: Upgrade_Shoot',
      'btp-operator: Update_Init_Kyma_Version',
      'btp-operator: Get_Kubeconfig',
      'btp-operator: BTPOperatorOverrides',
      'btp-operator: Apply_Reconciler_Configuration',
      'btp-operator-check: CheckReconcilerState',
      'check: Check_Runtime',
    ],
  );
});

test('operations may take as long as the founding documents say', () => {
  const limits = Object.fromEntries(
    everyOperation
      .filter(({ service }) => service === 'Broker')
      .map(({ type, timeLimit }) => [type, timeLimit]),
  );
  assert.partialDeepStrictEqual(limits, {
    provision: hours(24),
    deprovision: hours(24),
    update: hours(24),
    upgradeKyma: hours(3),
    upgradeCluster: hours(3),
  });
});
