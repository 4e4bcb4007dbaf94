// What platform teams install: the image as far as it can be told without a builder, the manifests, the list of settings.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cp, mkdir, readdir, readFile, symlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { parseAllDocuments } from 'yaml';
import { BrokerConfig, ProvisionerConfig, readSettings } from '#config';
import { temporaryDirectory } from '../src/database/testing.ts';
import { settingsDocument } from '../src/config/settings-table.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
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
    assert.equal(container?.ports[0]?.containerPort, read[port]);
    assert.deepEqual(container.args, [`bin/${name}.ts`]);
    assert.equal(container.readinessProbe.httpGet.path, '/readyz');
    for (const kind of ['Service', 'PodDisruptionBudget', 'HorizontalPodAutoscaler'])
      assert.ok(named(kind, ''), `${kind} ${name} is missing`);
  });
}

test('the image holds all that both services load, and only packages of production', async () => {
  await using image = await temporaryDirectory();
  const dockerfile = await textOf('Dockerfile');
  const [, last = ''] = dockerfile.split(/^FROM .*$/m).slice(1);
  const copied = [...last.matchAll(/^COPY (?!--from)(.+) \S+$/gm)].flatMap(([, names = '']) =>
    names.split(' '),
  );
  const isLeftOut = (path: string) => path.endsWith('.test.ts') || path.endsWith('/testing.ts');
  for (const name of copied)
    await cp(join(root, name), join(image.path, name), {
      recursive: true,
      filter: (path) => !isLeftOut(path),
    });
  const { packages } = JSON.parse(await textOf('package-lock.json')) as {
    packages: Record<string, { readonly dev?: boolean; readonly optional?: boolean }>;
  };
  for (const [path, { dev = false, optional = false }] of Object.entries(packages)) {
    if (dev || optional || path.lastIndexOf('node_modules/') !== 0) continue;
    await mkdir(dirname(join(image.path, path)), { recursive: true });
    await symlink(join(root, path), join(image.path, path));
  }
  for (const service of ['broker', 'provisioner']) {
    const { status, stderr } = spawnSync(process.execPath, [`bin/${service}.ts`], {
      cwd: image.path,
      env: {},
      encoding: 'utf8',
    });
    assert.match(stderr, /^GARDENER_PROJECT: /m); // it has come as far as its settings
    assert.equal(status, 2);
  }
});
