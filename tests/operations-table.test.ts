import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
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

test('the stages of a provisioning are those of the founding documents, in their order', () => {
  const provisioning = everyOperation.find(
    ({ service, type }) => service === 'Broker' && type === 'provision',
  );
  assert.deepEqual(
    provisioning?.stages.map(({ name }) => name),
    [
      'start',
      'create_runtime',
      'check_runtime',
      'configure_runtime',
      'check_kyma',
      'create_kyma_resource',
      'post_actions',
    ],
  );
});
