import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sdl } from '#provisioner';
import { order, startProvisioner } from '../../src/provisioner/testing.ts';
import { kymaLite } from './acceptance/kyma.ts';
import { inCluster, provisioned, type World } from './acceptance/world.ts';

const module = (component: string, configuration: readonly object[] = []) => ({
  component,
  namespace: 'kyma-system',
  configuration,
});

const installations = '/apis/installer.kyma-project.io/v1alpha1/namespaces/default/installations';
async function installed(world: World) {
  const [installation] = await inCluster(world, installations);
  const { spec, status } = installation as unknown as {
    spec: { version: string; components: { name: string }[] };
    status: { state: string };
  }; // as the installer keeps it
  return {
    state: status.state,
    version: spec.version,
    components: spec.components.map(({ name }) => name),
  };
}
const agentOf = (world: World, id: string): Promise<never> =>
  world.result(`{ result: runtimeStatus(id: "${id}") { runtimeConnectionStatus { status } } }`);

test('Kyma Lite is installed, and its agent connects', async () => {
  await using world = await startProvisioner();
  const { runtimeID } = await provisioned(world, order('azure', {}, { kymaConfig: kymaLite }));
  const components = kymaLite.components.map(({ component }) => component);
  assert.deepEqual(await installed(world), { state: 'Installed', version: '1.24.10', components });
  assert.deepEqual(await agentOf(world, runtimeID), {
    runtimeConnectionStatus: { status: 'Connected' },
  });
  for (const { component, namespace } of kymaLite.components)
    assert.ok(
      sdl.includes(`\`${component}\` in \`${namespace}\``),
      `${component} is not documented`,
    );
});

test('modules are installed with it, in their order, each with its own overrides', async () => {
  await using world = await startProvisioner();
  const overrides = [
    { key: 'loki.port', value: '3100' },
    { key: 'loki.key', value: 'hidden', secret: true },
  ];
  const components = [
    ...kymaLite.components,
    module('service-catalog'),
    module('logging', overrides),
    module('monitoring'),
  ];
  const kymaConfig = { ...kymaLite, components };
  await provisioned(world, order('azure', {}, { kymaConfig }));
  assert.deepEqual((await installed(world)).components, [
    'cluster-essentials',
    'compass-runtime-agent',
    'service-catalog',
    'logging',
    'monitoring',
  ]);
  const held = async (plural: string) => {
    const all = await inCluster(world, `/api/v1/namespaces/kyma-installer/${plural}`);
    return all.find(({ metadata }) => metadata.name === 'logging-installer-config')?.data;
  };
  assert.deepEqual(await held('configmaps'), { 'loki.port': '3100' });
  assert.deepEqual(await held('secrets'), { 'loki.key': Buffer.from('hidden').toString('base64') });
});
