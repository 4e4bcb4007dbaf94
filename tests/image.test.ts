// The image as far as it can be told without a builder.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cp, mkdir, readFile, symlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { temporaryDirectory } from '../src/database/testing.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const textOf = (path: string) => readFile(join(root, path), 'utf8');

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
