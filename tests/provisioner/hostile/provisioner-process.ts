import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { temporaryDirectory, type TestDatabase } from '../../../src/database/testing.ts';
import type { Landscape } from '../../../src/landscape/testing.ts';

const program = join(import.meta.dirname, '../../../bin/provisioner.ts');
const isError = 50;

/** The provisioner as operators run it, on this database and landscape, until it is disposed. */
export async function startProvisionerProcess(options: {
  readonly database: TestDatabase;
  readonly landscape: Landscape;
  readonly settings?: Readonly<Record<string, string>>;
  readonly heapMegabytes: number;
}) {
  const { database, landscape, settings, heapMegabytes } = options;
  await using resources = new AsyncDisposableStack();
  const folder = resources.use(await temporaryDirectory());
  const kubeconfig = join(folder.path, 'kubeconfig');
  await writeFile(kubeconfig, await (await fetch(`${landscape.url}/gardener/kubeconfig`)).text());
  const child = spawn(process.execPath, [`--max-old-space-size=${heapMegabytes}`, program], {
    env: {
      PATH: process.env['PATH'],
      NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'],
      DATABASE_URL: database.url,
      AUTHENTICATION: 'off',
      PROVISIONER_SCHEMA: 'test',
      PROVISIONER_PORT: '0',
      ENCRYPTION_KEYS: `test:${Buffer.alloc(32, 7).toString('base64')}`, // as the tests' keyring
      GARDENER_PROJECT: 'kyma',
      GARDENER_KUBECONFIG_PATH: kubeconfig,
      ARTIFACTS_RELEASES_URL: `${landscape.url}/artifacts/releases`,
      ARTIFACTS_COMPONENTS_URL: `${landscape.url}/artifacts/components`,
      ARTIFACTS_DEVELOPMENT_URL: `${landscape.url}/artifacts/development`,
      ...settings,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(child, 'close');
  resources.defer(async () => {
    child.kill('SIGKILL');
    await ended;
  });
  const errors: string[] = [];
  const ready = Promise.withResolvers<string>();
  void ended.then(() => ready.reject(new Error('the provisioner has ended')));
  createInterface(child.stdout).on('line', (line) => {
    const { level, address } = JSON.parse(line) as { level: number; address?: string }; // as pino writes
    if (level >= isError) errors.push(line);
    if (address !== undefined) ready.resolve(address);
  });
  const url = await ready.promise;

  /** CPU in seconds and memory in bytes, as the process itself counts them. */
  const metrics = async () => {
    const text = await (await fetch(`${url}/metrics`)).text();
    const read = (name: string) => Number(new RegExp(`^${name} (\\S+)`, 'm').exec(text)?.[1]);
    return {
      cpu: read('process_cpu_seconds_total'),
      memory: read('process_resident_memory_bytes'),
    };
  };
  const moved = resources.move();
  return {
    url,
    /** What it has logged as an error. */
    errors,
    metrics,
    isAlive: () => child.exitCode === null && child.signalCode === null,
    [Symbol.asyncDispose]: () => moved.disposeAsync(),
  };
}
