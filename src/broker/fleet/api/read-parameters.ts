import { SystemError } from '#clients';
import { given } from '../../api/upgrade-runtime.ts';
import { Refusal } from '../../errors.ts';
import type { Services } from '../../services.ts';
import type {
  OrchestrationParameters,
  OrchestrationType,
  TargetSelector,
} from '../orchestration.ts';
import { checkExpressions } from '../target-expressions.ts';
import type { OrchestrationBody } from './orchestration-body.ts';

/** What is asked for, with what was left out filled in; and when it shall begin, if not at once. */
export async function readParameters(
  services: Services,
  type: OrchestrationType,
  body: OrchestrationBody,
  signal: AbortSignal,
): Promise<{
  readonly parameters: OrchestrationParameters;
  readonly scheduleTime: Date | undefined;
}> {
  const { pool } = services.database;
  const targets = {
    include: body.targets.include.map((each): TargetSelector => given(each)),
    exclude: body.targets.exclude.map((each): TargetSelector => given(each)),
  };
  await checkExpressions(services.database, targets);
  const kyma = type === 'upgradeKyma' && body.kyma ? given(body.kyma) : undefined;
  if (kyma?.version !== undefined) await checkKymaVersion(services, kyma.version, signal);
  const scheduleTime = await timeOf(body.strategy.schedule, () =>
    services.fleet.orchestrations.now(pool),
  );
  const { strategy } = body;
  const parameters: OrchestrationParameters = {
    targets,
    strategy: {
      type: 'parallel',
      schedule: strategy.schedule,
      ...(scheduleTime && { ScheduleTime: scheduleTime.toISOString() }),
      maintenanceWindow: strategy.maintenanceWindow ?? false,
      parallel: strategy.parallel,
      ...(strategy.waves && { waves: strategy.waves }),
      ...(strategy.waveSoak !== undefined && { waveSoak: strategy.waveSoak }),
      ...budgetOf(strategy),
    },
    dryRun: body.dryRun ?? false,
    notification: body.notification ?? false,
    ...(kyma && { kyma }),
    ...(type === 'upgradeCluster' && body.kubernetes && { kubernetes: given(body.kubernetes) }),
  };
  return { parameters, scheduleTime };
}

/** Whoever tries something on a few before all others wants to hear of a failure. */
function budgetOf({ waves = [], errorBudget }: OrchestrationBody['strategy']) {
  if (errorBudget) return { errorBudget };
  return waves.length > 0 ? { errorBudget: { failures: 0 } } : {};
}

async function timeOf(schedule: string, now: () => Promise<Date>): Promise<Date | undefined> {
  if (schedule === 'immediate') return undefined;
  return schedule === 'now' ? now() : new Date(schedule);
}

/** Only a certain no refuses it: whoever does not answer does not stop an upgrade. */
async function checkKymaVersion(
  { clients }: Services,
  version: string,
  signal: AbortSignal,
): Promise<void> {
  try {
    await clients.artifacts.components(version, signal);
  } catch (error) {
    if (!(error instanceof SystemError)) throw error;
    const { status = 0 } = error;
    if (status < 400 || status > 499 || status === 403 || error.temporary) return;
    throw new Refusal(
      'MALFORMED_REQUEST',
      `while validating kyma version: invalid Kyma version, there is no version ${version}`,
      { cause: error },
    );
  }
}
