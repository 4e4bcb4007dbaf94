import type { Logger } from 'pino';
import { runtimeIdOf, SystemError, type MaintenancePolicy, type Shoot } from '#clients';
import type { Services } from '../services.ts';
import { chooseRuntimes } from './choose-runtimes.ts';
import { windowAt } from './maintenance-window.ts';
import type { OrchestrationParameters, Target } from './orchestration.ts';
import type { PlannedUpgrade } from './upgrades-table.ts';
import { waveOfEach } from './waves.ts';
import { windowTimesOf } from './window-times.ts';

export type Plan = {
  readonly planned: readonly PlannedUpgrade[];
  /** Meant, but not to be upgraded now. */
  readonly skipped: readonly (Target & { readonly because: string })[];
};

type Planning = {
  /** Now, or the time that the orchestration waits for. */
  readonly at: Date;
  readonly signal: AbortSignal;
  readonly log: Logger;
};

/** Who is upgraded, in which wave and in which window, as things stand now. */
export async function planUpgrades(
  services: Pick<Services, 'database' | 'clients'>,
  { targets, strategy }: Pick<OrchestrationParameters, 'targets' | 'strategy'>,
  planning: Planning,
): Promise<Plan> {
  const chosen = await chooseRuntimes(services.database, targets);
  const timesOf = strategy.maintenanceWindow ? await allTimes(services, planning) : undefined;
  const all = chosen.map(({ unfit, ...target }) => {
    const times = timesOf?.(target);
    const because =
      unfit ?? (timesOf && !times ? 'nobody says when its maintenance window is' : undefined);
    return { target, times, because };
  });
  const fit = all.filter(({ because }) => because === undefined);
  const waves = waveOfEach(strategy.waves ?? [], fit.length);
  return {
    planned: fit.map(({ target, times }, index) => ({
      ...target,
      wave: waves[index] ?? 1,
      times,
      window: times && windowAt(times, planning.at),
    })),
    skipped: all.flatMap(({ target, because }) =>
      because === undefined ? [] : [{ ...target, because }],
    ),
  };
}

async function allTimes({ clients }: Pick<Services, 'clients'>, { signal, log }: Planning) {
  const policy = await readPolicy(clients, signal, log);
  const shoots = new Map<string, Shoot>();
  for (const shoot of await clients.shoots.list(signal)) {
    const runtimeId = runtimeIdOf(shoot);
    if (runtimeId !== undefined) shoots.set(runtimeId, shoot);
  }
  return (target: Target) => windowTimesOf(target, shoots.get(target.runtimeId), policy);
}

/** A policy that nobody can read is as good as none; one that cannot be read now is waited for. */
async function readPolicy(
  { controlPlane }: Services['clients'],
  signal: AbortSignal,
  log: Logger,
): Promise<MaintenancePolicy | undefined> {
  try {
    const policy = await controlPlane.maintenancePolicy(signal);
    if (!policy) log.warn('there is no maintenance policy: the windows of the Shoots are used');
    return policy;
  } catch (error) {
    if (!(error instanceof SystemError) || error.temporary) throw error;
    log.warn(
      { err: error },
      'the maintenance policy is broken: the windows of the Shoots are used',
    );
    return undefined;
  }
}
