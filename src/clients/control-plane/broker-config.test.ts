import assert from 'node:assert/strict';
import { test } from 'node:test';
import { configAmbiguous, configMalformed, configNotFound } from './config-error.ts';
import { demoKymaVersion, failsWith, signal, startControlPlane } from './testing.ts';

const planName = 'aws';
const labelsFor = (version: string) => ({
  'keb-config': 'true',
  [`runtime-version-${version}`]: 'true',
});
const noComponents = 'additional-components: []';

test('the configuration that comes with the landscape has components and a template', async () => {
  await using controlPlane = await startControlPlane();
  const wanted = { planName, kymaVersion: demoKymaVersion };
  const { additionalComponents, kymaTemplate } = await controlPlane.client.brokerConfig(
    wanted,
    signal,
  );
  assert.deepEqual(
    additionalComponents.map(({ component, namespace }) => [component, namespace]),
    [
      ['btp-operator', 'kyma-system'],
      ['compass-runtime-agent', 'compass-system'],
    ],
  );
  assert.match(additionalComponents[0]?.url ?? '', /^https:/);
  assert.partialDeepStrictEqual(kymaTemplate, {
    apiVersion: 'operator.kyma-project.io/v1beta2',
    kind: 'Kyma',
    metadata: { namespace: 'kyma-system' },
    spec: { channel: 'stable' },
  });
});

test('the key of the plan comes before the default, and neither is an error', async () => {
  await using controlPlane = await startControlPlane();
  const { client } = controlPlane;
  const ofPlan = `additional-components: [{ name: a, namespace: b, source: { url: c } }, { name: d, namespace: e }]`;
  await controlPlane.configMap('both', labelsFor('3.0.0'), { aws: ofPlan, default: noComponents });
  await controlPlane.configMap('other', labelsFor('4.0.0'), { azure: noComponents });
  const read = (planName: string, kymaVersion: string) =>
    client.brokerConfig({ planName, kymaVersion }, signal);
  assert.deepEqual(await read('aws', '3.0.0'), {
    additionalComponents: [
      { component: 'a', namespace: 'b', url: 'c' },
      { component: 'd', namespace: 'e' },
    ],
    kymaTemplate: undefined,
  });
  assert.deepEqual((await read('gcp', '3.0.0')).additionalComponents, []);
  await assert.rejects(
    read('aws', '4.0.0'),
    failsWith({
      temporary: false,
      reason: configNotFound,
      message: 'control-plane: ConfigMap other has neither a key aws nor a key default',
    }),
  );
});

test('a template may be a part of the document, of either version', async () => {
  await using controlPlane = await startControlPlane();
  const template = {
    apiVersion: 'operator.kyma-project.io/v1beta1',
    kind: 'Kyma',
    metadata: { namespace: 'kyma-system' },
    spec: { channel: 'fast', sync: { enabled: true } },
  };
  const text = JSON.stringify({ 'additional-components': [], 'kyma-template': template });
  await controlPlane.configMap('a', labelsFor('3.0.0'), { default: text });
  const { kymaTemplate } = await controlPlane.client.brokerConfig(
    { planName, kymaVersion: '3.0.0' },
    signal,
  );
  assert.deepEqual(kymaTemplate, template);
});

for (const kymaVersion of ['PR-123', 'main-1a2b3c4', `main-${'a'.repeat(60)}`]) {
  test(`${kymaVersion} has the configuration of the default version, as long as it has none of its own`, async () => {
    await using controlPlane = await startControlPlane();
    const { client } = controlPlane;
    const read = () => client.brokerConfig({ planName, kymaVersion }, signal);
    assert.equal((await read()).additionalComponents.length, 2);
    if (kymaVersion.length > 40) return; // too long for a label: it cannot have one
    const labels = labelsFor(kymaVersion.toLowerCase());
    await controlPlane.configMap('own', labels, { default: noComponents });
    assert.equal((await read()).additionalComponents.length, 0);
  });
}

for (const kymaVersion of ['9.9.9', 'pr-123', 'mainly', '', `${demoKymaVersion},a`, 'a in (b)']) {
  test(`no configuration is found for version '${kymaVersion}'`, async () => {
    await using controlPlane = await startControlPlane();
    await assert.rejects(
      controlPlane.client.brokerConfig({ planName, kymaVersion }, signal),
      failsWith({
        temporary: false,
        reason: configNotFound,
        message: `control-plane: no ConfigMap configures Kyma ${kymaVersion}`,
      }),
    );
  });
}

test('without a configuration of the default version there is none for others either', async () => {
  await using controlPlane = await startControlPlane();
  await controlPlane.removeConfigMap(`keb-config-${demoKymaVersion}`);
  await assert.rejects(
    controlPlane.client.brokerConfig({ planName, kymaVersion: 'PR-1' }, signal),
    failsWith({ temporary: false, reason: configNotFound }),
  );
});

test('two configurations of one version are one too many', async () => {
  await using controlPlane = await startControlPlane();
  await controlPlane.configMap('second', labelsFor(demoKymaVersion), { default: noComponents });
  await assert.rejects(
    controlPlane.client.brokerConfig({ planName, kymaVersion: demoKymaVersion }, signal),
    failsWith({
      temporary: false,
      reason: configAmbiguous,
      message: `control-plane: 2 ConfigMaps configure Kyma ${demoKymaVersion}, one must: keb-config-${demoKymaVersion}, second`,
    }),
  );
});

const template = (text: string) => `${noComponents}\nkyma-template: ${text}`;
for (const [what, text, message] of [
  ['what is not YAML', 'a: [', /ConfigMap a, key aws: cannot be read: /],
  ['what is empty', '', /key aws: the whole: .*expected object.*found null/],
  [
    'no components',
    'kyma-template: x',
    /key aws: additional-components: .*expected array.*found nothing/,
  ],
  [
    'a component without a namespace',
    'additional-components: [{ name: b }]',
    /key aws: additional-components\.0\.namespace: .*expected string.*found nothing/,
  ],
  [
    'a template of an unknown version',
    template('"{ apiVersion: v7, kind: Kyma, metadata: { namespace: b }, spec: {} }"'),
    /key aws: kyma-template\.apiVersion: .*v1beta1.*v1beta2.*found "v7"/,
  ],
  ['a template that is not YAML', template('"a: ["'), /key aws: kyma-template: cannot be read/],
  ['an empty template', template('""'), /key aws: kyma-template: .*expected object.*found null/],
] as const) {
  test(`${what} is malformed, and the error names the key and the field`, async () => {
    await using controlPlane = await startControlPlane();
    await controlPlane.configMap('a', labelsFor('3.0.0'), { aws: text });
    const malformed = failsWith({ temporary: false, reason: configMalformed });
    await assert.rejects(
      controlPlane.client.brokerConfig({ planName, kymaVersion: '3.0.0' }, signal),
      (error: Error) => {
        assert.match(error.message, message);
        return malformed(error);
      },
    );
  });
}
