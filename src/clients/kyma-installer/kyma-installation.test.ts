import assert from 'node:assert/strict';
import { test } from 'node:test';
import { minutes, seconds } from '#time';
import { canary, failsWith, kyma, signal, startRuntime, type Runtime } from './testing.ts';

const installerNamespace = '/api/v1/namespaces/kyma-installer';
const installationPath =
  '/apis/installer.kyma-project.io/v1alpha1/namespaces/default/installations/kyma-installation';

/** The installer of the version, and its overrides. */
async function putInstaller({ artifacts, installer }: Runtime) {
  const yaml = await artifacts.installerYaml(kyma.version, signal);
  await installer.installation.applyInstaller(yaml, signal);
  await installer.installation.applyOverrides(kyma, signal);
}

test('the installer is put onto the cluster, once or again, and asks for nothing by itself', async () => {
  await using runtime = await startRuntime();
  const { installation } = runtime.installer;
  assert.deepEqual(await installation.state(signal), { state: 'NoInstallation' });
  const yaml = await runtime.artifacts.installerYaml(kyma.version, signal);
  const deployment = '/apis/apps/v1/namespaces/kyma-installer/deployments/kyma-installer';
  await installation.applyInstaller(yaml, signal);
  const first = await runtime.read(deployment);
  assert.ok(first);
  await installation.applyInstaller(yaml, signal);
  assert.deepEqual(await runtime.read(deployment), first);
  assert.deepEqual(await installation.state(signal), { state: 'NoInstallation' });
});

test('what the installers of old build on is put there the same way', async () => {
  await using runtime = await startRuntime();
  const yaml = (await runtime.artifacts.tillerYaml('1.11.0', signal)) ?? assert.fail('no tiller');
  await runtime.installer.installation.applyInstaller(yaml, signal);
  assert.ok(await runtime.read('/apis/apps/v1/namespaces/kube-system/deployments/tiller-deploy'));
});

test('an installer that went halfway is completed by the next try', async () => {
  await using runtime = await startRuntime();
  const { installation } = runtime.installer;
  const yaml = await runtime.artifacts.installerYaml(kyma.version, signal);
  const path = 'deployments';
  const action = { kind: 'lost answer' } as const;
  runtime.landscape.faults.add({ system: 'gardener', path, count: 1, action });
  await assert.rejects(
    installation.applyInstaller(yaml, signal),
    failsWith({ temporary: true, reason: 'unreachable' }),
  );
  await installation.applyInstaller(yaml, signal);
  await installation.install(kyma, signal);
});

for (const [yaml, message] of [
  ['', /there is nothing in it/],
  ['# a comment', /there is nothing in it/],
  ['kind: Namespace', /document 1: apiVersion/],
  ['apiVersion: v1\nkind: Namespace\nmetadata: { name: 7 }', /document 1: metadata\.name/],
  ['apiVersion: v1\nkind: Namespace\nmetadata: { name: a }\n---\nb: [', /document 2, line \d/],
] as const) {
  test(`the installer file ${JSON.stringify(yaml)} is refused, and nothing of it applied`, async () => {
    await using runtime = await startRuntime();
    const asked = runtime.landscape.requests.length;
    await assert.rejects(
      runtime.installer.installation.applyInstaller(yaml, signal),
      (error: Error) => {
        assert.match(error.message, message);
        return failsWith({ temporary: false, reason: 'invalid_manifest' })(error);
      },
    );
    assert.equal(runtime.landscape.requests.length, asked);
  });
}

test('a kind that the cluster does not serve stays so, unless it was defined a moment ago', async () => {
  await using runtime = await startRuntime();
  const { installation } = runtime.installer;
  const lamp = 'apiVersion: example.com/v1\nkind: Lamp\nmetadata: { name: a }\n';
  const reason = 'err_k8s_no_match_error';
  await assert.rejects(
    installation.applyInstaller(lamp, signal),
    failsWith({ temporary: false, reason }),
  );
  // No version is served yet, as in the first moments of any definition.
  const definition = `---
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: { name: lamps.example.com }
spec: { group: example.com, names: { kind: Lamp, plural: lamps } }
`;
  await assert.rejects(
    installation.applyInstaller(lamp + definition, signal),
    failsWith({ temporary: true, reason }),
  );
});

test('namespaces and definitions come first, wherever they stand in the file', async () => {
  await using runtime = await startRuntime();
  const yaml = `
apiVersion: example.com/v1
kind: Lamp
metadata: { name: a, namespace: room }
---
apiVersion: apiextensions.k8s.io/v1beta1
kind: CustomResourceDefinition
metadata: { name: lamps.example.com }
spec: { group: example.com, version: v1, scope: Namespaced, names: { kind: Lamp, plural: lamps } }
---
apiVersion: v1
kind: Namespace
metadata: { name: room }
`;
  await runtime.installer.installation.applyInstaller(yaml, signal);
  assert.ok(await runtime.read('/apis/example.com/v1/namespaces/room/lamps/a'));
});

test('overrides become ConfigMaps and Secrets of the component, or of all', async () => {
  await using runtime = await startRuntime();
  await putInstaller(runtime);
  const read = async (path: string) => {
    const found = await runtime.read(`${installerNamespace}/${path}`);
    return found && { labels: found.metadata.labels, data: found['data'] };
  };
  const secret = Buffer.from(canary).toString('base64');
  assert.deepEqual(await read('configmaps/global-installer-config'), {
    labels: { installer: 'overrides' },
    data: { 'global.domainName': 'a.kyma.example.com' },
  });
  assert.deepEqual(await read('secrets/global-installer-config'), {
    labels: { installer: 'overrides' },
    data: { 'global.password': secret },
  });
  assert.deepEqual(await read('configmaps/compass-runtime-agent-installer-config'), {
    labels: { installer: 'overrides', component: 'compass-runtime-agent' },
    data: { 'compassRuntimeAgent.resync': '1m' },
  });
  assert.deepEqual(await read('secrets/service-catalog-installer-config'), {
    labels: { installer: 'overrides', component: 'service-catalog' },
    data: { 'catalog.token': secret },
  });
  assert.equal(await read('secrets/compass-runtime-agent-installer-config'), undefined);
  assert.equal(await read('configmaps/cluster-essentials-installer-config'), undefined);
});

test('new overrides take the place of the old ones, and leave those of the installer itself', async () => {
  await using runtime = await startRuntime();
  await putInstaller(runtime);
  const { installation } = runtime.installer;
  const namesOf = async (plural: string) => {
    const list = await runtime.read(`${installerNamespace}/${plural}/global-installer-config`);
    return Object.keys(list?.['data'] ?? {});
  };
  const configuration = [{ key: 'global.other', value: 'b' }];
  const [first] = kyma.components;
  for (let n = 0; n < 2; n += 1)
    await installation.applyOverrides({ configuration, components: [first] }, signal);
  assert.deepEqual(await namesOf('configmaps'), ['global.other']);
  assert.deepEqual(await namesOf('secrets'), []);
  const gone = `${installerNamespace}/secrets/service-catalog-installer-config`;
  assert.equal(await runtime.read(gone), undefined);
  assert.ok(await runtime.read(`${installerNamespace}/configmaps/installation-config-overrides`));
});

test('overrides need the installer, and their values show nowhere', async () => {
  await using runtime = await startRuntime();
  await assert.rejects(
    runtime.installer.installation.applyOverrides(kyma, signal),
    failsWith({ temporary: false, reason: 'NotFound', status: 404 }),
  );
  assert.ok(!JSON.stringify(runtime.landscape.inventory()).includes(canary));
});

test('Kyma is installed component by component, in the order that was asked for', async () => {
  await using runtime = await startRuntime();
  await putInstaller(runtime);
  const { installation } = runtime.installer;
  await installation.install(kyma, signal);
  assert.deepEqual(await installation.state(signal), { state: 'Empty' });
  const found = await runtime.read(installationPath);
  assert.deepEqual(found?.metadata.labels, { action: 'install' });
  assert.deepEqual(found['spec'], {
    version: '1.24.10',
    url: '',
    profile: 'production',
    components: [
      { name: 'cluster-essentials', namespace: 'kyma-system' },
      {
        name: 'compass-runtime-agent',
        namespace: 'compass-system',
        source: { url: 'https://charts.example.com/agent.tgz' },
      },
      { name: 'service-catalog', namespace: 'kyma-system' },
    ],
  });
  runtime.landscape.time.advance(seconds(6));
  for (const { component } of kyma.components) {
    const description = `install component ${component}`;
    assert.deepEqual(await installation.state(signal), { state: 'InProgress', description });
    runtime.landscape.time.advance(seconds(30));
  }
  assert.deepEqual(await installation.state(signal), { state: 'Installed', version: '1.24.10' });
});

test('asking twice for the same is asking once', async () => {
  await using runtime = await startRuntime();
  await putInstaller(runtime);
  const { installation } = runtime.installer;
  const { faults, time } = runtime.landscape;
  const action = { kind: 'lost answer' } as const;
  faults.add({ system: 'gardener', path: 'installations', count: 1, action });
  await assert.rejects(
    installation.install(kyma, signal),
    failsWith({ temporary: true, reason: 'unreachable' }),
  );
  await installation.install(kyma, signal);
  time.advance(seconds(40));
  const description = 'install component compass-runtime-agent';
  assert.deepEqual(await installation.state(signal), { state: 'InProgress', description });
  await installation.install(kyma, signal);
  assert.deepEqual(await installation.state(signal), { state: 'InProgress', description });
  time.advance(minutes(1));
  assert.equal((await installation.state(signal)).state, 'Installed');
});

test('another version is under way from the moment it was asked for', async () => {
  await using runtime = await startRuntime();
  await putInstaller(runtime);
  const { installation } = runtime.installer;
  await installation.install(kyma, signal);
  runtime.landscape.time.advance(minutes(2));
  assert.equal((await installation.state(signal)).state, 'Installed');
  const [first] = kyma.components;
  await installation.install({ version: '1.24.11', components: [first] }, signal);
  assert.deepEqual(await installation.state(signal), {
    state: 'InProgress',
    description: 'the installer has not begun yet',
  });
  runtime.landscape.time.advance(seconds(40));
  assert.deepEqual(await installation.state(signal), { state: 'Installed', version: '1.24.11' });
  const spec = (await runtime.read(installationPath))?.['spec'];
  const components = [{ name: 'cluster-essentials', namespace: 'kyma-system' }];
  assert.deepEqual(spec, { version: '1.24.11', url: '', components });
});

test('a version that cannot be installed is tried some times, and tells why not', async () => {
  await using runtime = await startRuntime();
  await putInstaller(runtime);
  const { installation } = runtime.installer;
  const { time } = runtime.landscape;
  await installation.install({ ...kyma, version: '1.24.11-bad' }, signal);
  time.advance(seconds(36));
  const failed = (occurrences: number) => ({
    state: 'Error',
    description: 'install component cluster-essentials',
    errors: [
      {
        component: 'cluster-essentials',
        log: 'chart of cluster-essentials 1.24.11-bad: timed out waiting for the condition',
        occurrences,
      },
    ],
  });
  assert.deepEqual(await installation.state(signal), failed(1));
  time.advance(seconds(30));
  assert.equal((await installation.state(signal)).state, 'InProgress');
  time.advance(minutes(10));
  assert.deepEqual(await installation.state(signal), failed(3));
  await installation.install(kyma, signal);
  time.advance(minutes(2));
  assert.deepEqual(await installation.state(signal), { state: 'Installed', version: '1.24.10' });
});

test('Kyma is uninstalled component by component; without it there is nothing to do', async () => {
  await using runtime = await startRuntime();
  await putInstaller(runtime);
  const { installation } = runtime.installer;
  const { time } = runtime.landscape;
  assert.equal(await installation.uninstall(signal), false);
  await installation.install(kyma, signal);
  time.advance(minutes(2));
  assert.equal(await installation.uninstall(signal), true);
  assert.equal((await installation.state(signal)).state, 'InProgress');
  time.advance(seconds(6));
  const description = 'uninstall component cluster-essentials';
  assert.deepEqual(await installation.state(signal), { state: 'InProgress', description });
  assert.equal(await installation.uninstall(signal), true);
  time.advance(minutes(2));
  assert.deepEqual(await installation.state(signal), { state: 'Uninstalled' });
});

test('what was asked for while the installer was at work comes next', async () => {
  await using runtime = await startRuntime();
  await putInstaller(runtime);
  const { installation } = runtime.installer;
  await installation.install(kyma, signal);
  runtime.landscape.time.advance(seconds(10));
  await installation.uninstall(signal);
  runtime.landscape.time.advance(minutes(2));
  assert.equal((await installation.state(signal)).state, 'InProgress');
  runtime.landscape.time.advance(minutes(2));
  assert.deepEqual(await installation.state(signal), { state: 'Uninstalled' });
});

test('nothing is uninstalled on a cluster that knows no installations', async () => {
  await using runtime = await startRuntime();
  assert.equal(await runtime.installer.installation.uninstall(signal), false);
});

test('a state that nobody has heard of is passed on', async () => {
  await using runtime = await startRuntime();
  await putInstaller(runtime);
  await runtime.installer.installation.install(kyma, signal);
  const status = { state: 'Hibernating', description: 'it sleeps', errorLog: null };
  const body = JSON.stringify({ metadata: {}, status });
  runtime.landscape.faults.add({
    system: 'gardener',
    action: { kind: 'answer', status: 200, body },
  });
  assert.deepEqual(await runtime.installer.installation.state(signal), {
    state: 'Unknown',
    reported: 'Hibernating',
    description: 'it sleeps',
  });
});
