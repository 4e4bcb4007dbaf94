import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { order, startProvisioner } from '../../../src/provisioner/testing.ts';
import {
  nothingCreated,
  provisioning,
  provisioned,
  refusal,
  refuses,
  rowsIn,
  upgrading,
} from './world.ts';

const azureConfig = { vnetCidr: '10.250.0.0/19' };
const gcpConfig = { zones: ['europe-west3-a'] };
const blocks = (...given: object[]) => ({
  providerSpecificConfig: Object.assign({}, ...given) as object,
});
const withKyma = (components: readonly object[]) =>
  order('azure', {}, { kymaConfig: { version: '1.24.10', components } });

/** What is wrong with it, the request, and what the caller reads. */
const refused: readonly (readonly [string, object, RegExp])[] = [
  [
    '11: a machine image version without a machine image',
    order('azure', { machineImageVersion: '934.8.0' }),
    /Machine Image Version passed while Machine Image is empty/,
  ],
  [
    '12: a volume on OpenStack',
    order('openstack', { provider: 'OpenStack', volumeSizeGB: 30 }),
    /OpenStack mutation does not accept diskType or volumeSizeGb parameters/,
  ],
  ['13: Kyma without components', withKyma([]), /components list is empty/],
  [
    '13: Kyma without its agent',
    withKyma([{ component: 'core', namespace: 'kyma-system' }]),
    /components list does not contain Compass Runtime Agent/,
  ],
  ['14: no provider config', order('azure', blocks()), /^provider config not specified$/],
  [
    '14: two provider configs',
    order('azure', blocks({ azureConfig }, { gcpConfig })),
    /exactly one provider config/,
  ],
  [
    '14: the config of another provider',
    order('azure', blocks({ gcpConfig })),
    /provider is "azure": must be that of gcpConfig/,
  ],
  [
    '15: more machines at least than at most',
    order('azure', { autoScalerMin: 5, autoScalerMax: 3 }),
    /autoScalerMin is 5: must be at most autoScalerMax, 3/,
  ],
  [
    '15: an update that could replace no machine',
    order('azure', { maxSurge: 0, maxUnavailable: 0 }),
    /maxUnavailable is 0: must be at least 1 where maxSurge is 0/,
  ],
  [
    '15: no zone',
    order('gcp', blocks({ gcpConfig: { zones: [] } })),
    /gcpConfig.zones is \[\]: must be at least one zone/,
  ],
  [
    '15: a network that is none',
    order('gcp', { workerCidr: '10.250.0.0/33' }),
    /workerCidr is "10.250.0.0\/33": must be an IPv4 network/,
  ],
];

const world = await startProvisioner();
after(() => world[Symbol.asyncDispose]());

for (const [what, config, message] of refused) {
  test(`${what} is refused, and nothing is created`, async () => {
    await refuses(world, provisioning(config), message);
    await nothingCreated(world);
  });
}

test('16: an upgrade to an empty value is refused', async () => {
  const { runtimeID } = await provisioned(world);
  const rows = await rowsIn(world);
  for (const [field, words] of [
    ['machineType', 'machine type'],
    ['kubernetesVersion', 'kubernetes version'],
    ['diskType', 'disk type'],
    ['purpose', 'purpose'],
  ] as const) {
    const config = { gardenerConfig: { [field]: '' } };
    await refuses(world, upgrading(runtimeID, config), new RegExp(`^empty ${words} provided$`));
  }
  assert.equal(await rowsIn(world), rows);
});

test('17: the schema knows no upgrade of what stays as it is', async () => {
  const { runtimeID } = await world.provision(order('azure', { name: 'c-17' }));
  for (const gardenerConfig of [{ workerCidr: '10.0.0.0/16' }, { region: 'eastus' }]) {
    const answer = await world.graphql(upgrading(runtimeID, { gardenerConfig }));
    assert.equal(answer.status, 422);
    assert.equal(refusal(answer).code, 400);
    assert.equal(answer.errors[0]?.extensions['code'], 'GRAPHQL_VALIDATION_FAILED');
  }
});
