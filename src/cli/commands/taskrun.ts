import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Command } from 'commander';
import { command, examples, whole, withTargets, type TargetFlags } from '../command.ts';
import { fetchKubeconfig } from '../fetch-kubeconfig.ts';
import { Problem, usage } from '../problem.ts';
import { runTask } from '../run-task.ts';
import { pagesOf } from '../service/pages.ts';
import type { Runtime } from '../service/shapes.ts';
import type { Surroundings } from '../surroundings.ts';
import { isMeant, readTargets } from '../targets.ts';
import { acts, type Work } from '../work.ts';

type Flags = TargetFlags & {
  readonly parallelism: number;
  readonly kubeconfigDir?: string;
  readonly keepKubeconfig?: boolean;
  readonly kubeconfig?: boolean;
  readonly prefixOutput?: boolean;
  readonly shell?: string;
};

export const taskrun = (surroundings: Surroundings): Command =>
  withTargets(
    command('taskrun', 'Runs a command for each of some runtimes, with its kubeconfig at hand.'),
  )
    .aliases(['task', 't'])
    .argument('<command...>', 'after --')
    .addOption(whole('-p, --parallelism <number>', 'so many at a time').default(4))
    .option(
      '-k, --kubeconfig-dir <path>',
      'where kubeconfigs are put; by default a directory that is removed',
    )
    .option('--keep-kubeconfig', 'leave them there')
    .option('--no-kubeconfig', 'fetch none')
    .option('--no-prefix-output', 'leave the shoot before each line out')
    .option('-s, --shell <path>', 'let this shell run the command, as one text')
    .addHelpText(
      'after',
      `\nThe command finds KUBECONFIG, GLOBALACCOUNT_ID, SUBACCOUNT_ID, RUNTIME_NAME, RUNTIME_ID and INSTANCE_ID in its environment.\n${examples(
        ['kcp taskrun -t all -- kubectl get nodes', 'the nodes of all'],
        [
          "kcp t -t plan=azure -s /bin/sh -- 'kubectl get pods -A | wc -l'",
          'how many pods, by a shell',
        ],
      )}`,
    )
    .action(
      acts<Flags>(surroundings, async (work, flags, task) => {
        const { include, exclude } = readTargets(flags.target, flags.targetExclude);
        if (task.length === 0) throw usage('which command? Write it after --');
        const meant = await runtimesMeant(work, include, exclude);
        if (meant.length === 0)
          throw new Problem('notFound', 'no runtime is meant by these targets');
        await using place = await kubeconfigPlace(flags);
        let failed = 0;
        const queue = [...meant];
        const worker = async () => {
          for (let next = queue.shift(); next; next = queue.shift())
            if (!(await didRun(work, next, task, flags, place.path))) failed += 1;
        };
        await Promise.all(
          Array.from({ length: Math.min(flags.parallelism, meant.length) }, worker),
        );
        if (failed > 0) throw new Problem('error', `${failed}/${meant.length} execution(s) failed`);
      }),
    );

async function runtimesMeant(
  work: Work,
  ...targets: [Parameters<typeof isMeant>[1], Parameters<typeof isMeant>[2]]
): Promise<Runtime[]> {
  const meant: Runtime[] = [];
  const query = { op_detail: 'last' };
  for await (const { data } of pagesOf<Runtime>(work.broker(), '/runtimes', query, Infinity))
    meant.push(...data.filter((runtime) => isMeant(runtime, ...targets)));
  return meant;
}

async function kubeconfigPlace({ kubeconfigDir, keepKubeconfig }: Flags) {
  const path = kubeconfigDir ?? (await mkdtemp(join(tmpdir(), 'kcp-taskrun-')));
  await mkdir(path, { recursive: true, mode: 0o700 });
  const isRemoved = kubeconfigDir === undefined && !keepKubeconfig;
  return {
    path,
    async [Symbol.asyncDispose]() {
      if (isRemoved) await rm(path, { recursive: true, force: true });
    },
  };
}

/** One that cannot even begin has failed, and the others go on. */
async function didRun(
  work: Work,
  runtime: Runtime,
  task: readonly string[],
  flags: Flags,
  directory: string,
): Promise<boolean> {
  const { surroundings, screen } = work;
  const name = runtime.shootName ?? runtime.instanceID;
  const prefix = flags.prefixOutput === false ? '' : `${name} `;
  const file = join(directory, `${name.replaceAll(/[^\w.-]/g, '_')}.yaml`);
  try {
    if (flags.kubeconfig !== false)
      await writeFile(file, await fetchKubeconfig(work, runtime.instanceID), { mode: 0o600 });
    const [program = '', ...args] =
      flags.shell === undefined ? task : [flags.shell, '-c', task.join(' ')];
    const code = await runTask(program, args, {
      environment: {
        ...surroundings.environment,
        ...(flags.kubeconfig !== false && { KUBECONFIG: file }),
        GLOBALACCOUNT_ID: runtime.globalAccountID,
        SUBACCOUNT_ID: runtime.subAccountID,
        RUNTIME_NAME: name,
        RUNTIME_ID: runtime.runtimeID ?? '',
        INSTANCE_ID: runtime.instanceID,
      },
      signal: surroundings.signal,
      onOutput: (line) => screen.print(prefix + line),
      onNote: (line) => screen.note(prefix + line),
    });
    if (code !== 0) screen.note(`${prefix}ended with code ${code}`);
    return code === 0;
  } catch (error) {
    if (error instanceof Problem && error.ending === 'interrupted') throw error;
    screen.note(`${prefix}${error instanceof Error ? error.message : String(error)}`);
    return false;
  } finally {
    if (flags.kubeconfigDir !== undefined && !flags.keepKubeconfig) await rm(file, { force: true });
  }
}
