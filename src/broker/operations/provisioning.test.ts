import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { inWords, minutes } from '#time';
import { failureOf, runsOf, succeeds } from '../steps/testing.ts';
import { btpCredentials, startBroker, testSettings } from '../testing.ts';
import { provisioning } from './provisioning.ts';

test('a provisioning has these stages and steps, which ask so often and so long', async () => {
  await using world = await startBroker();
  const { stages } = provisioning(world.services).definition;
  assert.deepEqual(
    stages.map(({ name, steps }) => [
      name,
      ...steps.map(({ name, retry }) =>
        [name, retry?.every, retry?.within]
          .filter((each) => each !== undefined)
          .map((each) => (typeof each === 'number' ? inWords(each) : each))
          .join(', '),
      ),
    ]),
    [
      ['start', 'Starting'],
      [
        'create_runtime',
        'Provision_Initialization, 5 s, 5 min',
        'Init_Kyma_Template, 5 s, 5 min',
        'Resolve_Target_Secret, 10 s, 10 min',
        'AVS_Create_Internal_Eval_Step, 30 s, 10 min',
        'EDP_Registration, 10 s, 30 min',
        'Create_Runtime_Without_Kyma, 5 s, 1 h',
        'Create_Runtime_For_Own_Cluster',
      ],
      ['check_runtime', 'Check_Runtime, 1 min, 6 h'],
      [
        'configure_runtime',
        'Get_Kubeconfig, 1 min',
        'Overrides_From_Secrets_And_Config_Step, 10 s, 30 min',
        'BTPOperatorOverrides, 5 s, 5 min',
        'BusolaMigratorOverrides',
        'Inject_BTP_Operator_Credentials, 10 s',
        'Sync_Kubeconfig, 1 min, 5 min',
        'Create_Cluster_Configuration, 5 s',
      ],
      ['check_kyma', 'Check_Cluster_Configuration, 1 min, 2 h'],
      ['create_kyma_resource', 'Apply_Kyma, 1 s, 10 s'],
      ['post_actions', 'AVS_Create_External_Eval_Step, 30 s, 20 min', 'AVS_Tags, 30 s, 10 min'],
    ],
  );
});

/** Every call of a provisioning to an outside system, by the step that makes it. */
const calls: readonly (readonly [step: string, system: string, where: Where])[] = [
  ['Provision_Initialization', 'control-plane', { path: '/configmaps/kyma-versions' }],
  ['Provision_Initialization', 'control-plane', { path: 'runtime-version', nth: 1 }],
  ['Provision_Initialization', 'artifacts', { path: '/components/' }],
  ['Init_Kyma_Template', 'control-plane', { path: 'runtime-version', nth: 2 }],
  ['Resolve_Target_Secret', 'gardener', { path: '/secretbindings' }],
  ['AVS_Create_Internal_Eval_Step', 'avs', { method: 'POST', path: '/evaluationmetadata$' }],
  ['EDP_Registration', 'edp', { method: 'POST', path: '/dataTenants$' }],
  ['EDP_Registration', 'edp', { method: 'POST', path: '/metadata$' }],
  ['Create_Runtime_Without_Kyma', 'provisioner', { field: 'provisionRuntime' }],
  ['Get_Kubeconfig', 'provisioner', { field: 'runtimeStatus' }],
  ['Overrides_From_Secrets_And_Config_Step', 'control-plane', { path: 'overrides-plan' }],
  ['BTPOperatorOverrides', 'control-plane', { path: 'runtime-version', nth: 3 }],
  ['Inject_BTP_Operator_Credentials', 'provisioner', { path: '^/clusters/.*/secrets' }],
  ['Sync_Kubeconfig', 'control-plane', { path: '/kyma-system/secrets' }],
  ['Create_Cluster_Configuration', 'reconciler', { method: 'POST', path: '/v1/clusters$' }],
  ['Check_Cluster_Configuration', 'reconciler', { method: 'GET', path: '/status$' }],
  ['Apply_Kyma', 'control-plane', { path: '/kymas' }],
  [
    'AVS_Create_External_Eval_Step',
    'avs',
    { method: 'POST', path: '/evaluationmetadata$', nth: 2 },
  ],
  ['AVS_Tags', 'provisioner', { field: 'runtimeStatus', nth: 2 }],
  ['AVS_Tags', 'avs', { method: 'GET', path: '/evaluationmetadata/' }],
  ['AVS_Tags', 'avs', { method: 'POST', path: '/tag$' }],
];
type Where = { method?: string; path?: string; field?: string; nth?: number };

/** Short, so that limits are soon reached; those without a limit of their own end with the operation. */
const limits = {
  ...testSettings.limits,
  operation: minutes(14),
  accountLookup: minutes(3),
  avsInternal: minutes(3),
  avsExternal: minutes(3),
  edpRegistration: minutes(3),
  runtimeRequest: minutes(3),
  provisioning: minutes(15),
  deprovisioning: minutes(15),
  reconciling: minutes(15),
};
const settings = {
  limits,
  avs: { ...testSettings.avs, tagClasses: { shootName: 1, seed: 2, region: 3 } },
};
const outage = { kind: 'answer', status: 503 } as const;
const refusal = ({ field }: Where) =>
  ({
    kind: 'answer',
    status: field === undefined ? 400 : 200,
    body: JSON.stringify({
      errors: [{ message: 'no', extensions: { error_code: 400, error_reason: 'err_test' } }],
    }),
  }) as const;

for (const [step, system, where] of calls) {
  const call = `${system} ${Object.values(where).join(' ')}`;

  test(`${step} bears that ${call} fails for a while, and gives up if it is refused or fails for ever`, async () => {
    await using world = await startBroker({ settings });
    const { faults } = world.landscape;
    const order = () =>
      world.order('azure', {
        context: { subaccount_id: randomUUID(), sm_operator_credentials: btpCredentials() },
      });

    faults.add({ system, count: 2, ...where, action: outage });
    const recovered = await order();
    await succeeds(world, recovered);
    const runs = await runsOf(world, recovered, step);
    assert.match(runs.join(), /retry: .*done$/);

    faults.remove();
    faults.add({ system, count: 1_000_000, ...where, action: refusal(where) });
    const refused = await failureOf(world, await order());
    assert.equal(refused.step, step);
    // A status tells that our request is wrong; GraphQL answers 200, and what is wrong is for its owners to say.
    assert.equal(refused.class, where.field === undefined ? 'us' : 'system');

    faults.remove();
    faults.add({ system, count: 1_000_000, ...where, action: outage });
    const hopeless = await order();
    assert.equal((await failureOf(world, hopeless)).reason, 'time_limit');
    assert.match((await runsOf(world, hopeless, step)).at(-1) ?? '', /^(?:retry|fail): /);
  });
}
