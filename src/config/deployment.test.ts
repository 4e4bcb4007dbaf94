// What platform teams read and install: the list of settings, and manifests that must fit them.

import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { parseAllDocuments } from 'yaml';
import { BrokerConfig } from './broker-config.ts';
import { ProvisionerConfig } from './provisioner-config.ts';
import { readSettings } from './read-settings.ts';
import { settingsDocument } from './settings-table.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const textOf = (path: string) => readFile(join(root, path), 'utf8');

type Manifest = {
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly data?: Record<string, string>;
  readonly stringData?: Record<string, string>;
  readonly spec?: {
    readonly template?: { readonly spec: { readonly containers: readonly Container[] } };
  };
};
type Container = {
  readonly args: readonly string[];
  readonly ports: readonly { readonly containerPort: number }[];
  readonly readinessProbe: { readonly httpGet: { readonly path: string } };
};

async function manifests(): Promise<Manifest[]> {
  const folder = 'deploy/kubernetes';
  const files = (await readdir(join(root, folder))).filter((name) => name !== 'kustomization.yaml');
  const texts = await Promise.all(files.map((name) => textOf(join(folder, name))));
  return texts.flatMap((text) =>
    parseAllDocuments(text).map((document) => document.toJS() as Manifest),
  );
}

test('docs/configuration.md tells every setting (npm run settings)', async () => {
  const document = settingsDocument();
  assert.equal(await textOf('docs/configuration.md'), document);
  assert.doesNotMatch(
    document,
    /\| undefined \|/,
    'a setting has no sentence in about-settings.ts',
  );
});

for (const [name, schema, port] of [
  ['broker', BrokerConfig, 'BROKER_PORT'],
  ['provisioner', ProvisionerConfig, 'PROVISIONER_PORT'],
] as const) {
  test(`the manifests of the ${name} set what its settings need, and nothing that it does not know`, async () => {
    const all = await manifests();
    const named = (kind: string, suffix: string) =>
      all.find((each) => each.kind === kind && each.metadata.name === `${name}${suffix}`);
    const settings = {
      ...named('ConfigMap', '-settings')?.data,
      ...named('Secret', '-secrets')?.stringData,
    };
    const known = Object.keys(schema.shape);
    assert.deepEqual(
      Object.keys(settings).filter((each) => !known.includes(each)),
      [],
    );
    const read: Record<string, unknown> = readSettings<
      typeof BrokerConfig | typeof ProvisionerConfig
    >(schema, settings);
    const container = named('Deployment', '')?.spec?.template?.spec.containers[0];
    assert.ok(container);
    assert.equal(container.ports[0]?.containerPort, read[port]);
    assert.deepEqual(container.args, [`bin/${name}.ts`]);
    assert.equal(container.readinessProbe.httpGet.path, '/readyz');
    for (const kind of ['Service', 'PodDisruptionBudget', 'HorizontalPodAutoscaler'])
      assert.ok(named(kind, ''), `${kind} ${name} is missing`);
  });
}
