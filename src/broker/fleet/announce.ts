import type { Logger } from 'pino';
import { SystemError } from '#clients';
import type { Services } from '../services.ts';
import type { Orchestration } from './orchestration.ts';

const atATime = 100;

/**
 * Tells customers what is planned. A second message would be a nuisance and nobody can ask SPC whom it knows, so each is
 * marked before: whoever is lost in between hears of it when the upgrade begins (Send_Notification).
 */
export async function announce(
  { clients: { spc }, fleet, database: { pool } }: Services,
  { id, type, scheduleTime }: Orchestration,
  signal: AbortSignal,
  log: Logger,
): Promise<void> {
  if (!spc) return;
  const subject = type === 'upgradeKyma' ? 'kyma' : 'kubernetes';
  for (;;) {
    signal.throwIfAborted();
    const taken = await fleet.announcements.take(pool, id, atATime);
    if (taken.length === 0) return;
    const now = await fleet.orchestrations.now(pool);
    const start = scheduleTime && scheduleTime > now ? scheduleTime : now;
    const tenants = taken.map(({ instanceId, window }) =>
      window ? { instanceId, start: window.begin, end: window.end } : { instanceId, start },
    );
    try {
      await spc.createMaintenanceEvent(id, subject, tenants, signal);
    } catch (error) {
      // With an answer it is certain that they were not told; without one they may have been.
      if (error instanceof SystemError && error.status !== undefined) {
        await fleet.announcements.giveBack(pool, taken);
        throw error;
      }
      log.warn({ err: error, customers: taken.length }, 'customers may not have been told yet');
    }
  }
}
