import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { platform } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { gardenerClient } from '#clients';
import { temporaryDirectory } from '../src/database/testing.ts';

const run = promisify(execFile);
const isInstalled = await run('kubectl', ['version', '--client']).then(
  () => true,
  () => false,
);
const reason = isInstalled ? 'memory is measured on Linux alone' : 'kubectl is not installed';
const skip = isInstalled && platform() === 'linux' ? false : reason;
const { signal } = new AbortController();

test(
  'a thousand shoots grow at once in one process of less than 400 MB, and kubectl lists them in 2 seconds',
  { skip },
  async (t) => {
    await using folder = await temporaryDirectory();
    const child = spawn(process.execPath, [join(import.meta.dirname, '../bin/landscape.ts')], {
      env: { ...process.env, LANDSCAPE_PORT: '0', LANDSCAPE_SPEED: '60' },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    t.after(async () => {
      child.kill('SIGKILL');
      await once(child, 'close');
    });
    const [line] = (await once(createInterface(child.stdout), 'line')) as [string];
    const url = /http:\S+\d/.exec(line)?.[0] ?? assert.fail(line);
    const kubeconfig = await (await fetch(`${url}/gardener/kubeconfig`)).text();
    const { shoots } = gardenerClient({ kubeconfig, project: 'kyma', concurrency: 50 });
    await Promise.all(
      Array.from({ length: 1_000 }, (_, n) =>
        shoots.apply(
          {
            metadata: { name: `c-${n}`, labels: { account: `ga-${n % 50}` } },
            spec: {
              secretBindingName: 'azure-pool-001',
              region: 'westeurope',
              kubernetes: { version: '1.26.5' },
              provider: { type: 'azure' },
            },
          },
          signal,
        ),
      ),
    );
    const config = join(folder.path, 'config');
    await writeFile(config, kubeconfig);
    const list = async (isDone: (states: string[]) => boolean) => {
      const start = performance.now();
      const options = ['--kubeconfig', config, '--cache-dir', join(folder.path, 'cache')];
      const { stdout } = await run('kubectl', [...options, 'get', 'shoots', '-A', '--no-headers'], {
        maxBuffer: 10 * 2 ** 20,
      });
      const took = performance.now() - start;
      const lines = stdout.trim().split('\n');
      return { took, count: lines.length, isDone: isDone(lines) };
    };
    const takenWhileGrowing = [];
    let state;
    do {
      state = await list((lines) => lines.every((each) => each.includes('Succeeded')));
      assert.equal(state.count, 1_000);
      takenWhileGrowing.push(Math.round(state.took));
    } while (!state.isDone);
    const status = await readFile(`/proc/${child.pid}/status`, 'utf8');
    const peak = Number(/VmHWM:\s+(\d+) kB/.exec(status)?.[1]) / 1_024;
    t.diagnostic(`peak ${Math.round(peak)} MiB; kubectl took ${takenWhileGrowing.join(', ')} ms`);
    assert.ok(peak < 400, `${peak} MiB`);
    assert.ok(Math.min(...takenWhileGrowing) < 2_000, `${takenWhileGrowing.join(', ')} ms`);
  },
);
