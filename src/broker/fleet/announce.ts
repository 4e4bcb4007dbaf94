import type { Logger } from 'pino';
import { SystemError } from '#clients';
import type { Services } from '../services.ts';
import { mayHaveArrived } from './may-have-arrived.ts';
import type { Orchestration } from './orchestration.ts';

const atATime = 100;

/**
 * Tells customers what is planned. SPC knows no key and cannot be asked whom it has told, so that it is on record before that
 * they may have been, and after that they were. If nobody hears of the answer they are told once more, and that is
 * the last time: whoever has still not heard of it does when the upgrade begins (Send_Notification).
 */
export async function announce(
  { clients: { spc }, fleet: { announcements, orchestrations }, database: { pool } }: Services,
  { id, type, scheduleTime }: Orchestration,
  signal: AbortSignal,
  log: Logger,
): Promise<void> {
  if (!spc) return;
  const subject = type === 'upgradeKyma' ? 'kyma' : 'kubernetes';
  for (;;) {
    signal.throwIfAborted();
    const taken = await announcements.take(pool, id, atATime);
    if (taken.length === 0) return;
    const now = await orchestrations.now(pool);
    const start = scheduleTime && scheduleTime > now ? scheduleTime : now;
    const tenants = taken.map(({ instanceId, window }) =>
      window ? { instanceId, start: window.begin, end: window.end } : { instanceId, start },
    );
    try {
      await spc.createMaintenanceEvent(id, subject, tenants, signal);
      await announcements.told(pool, taken);
    } catch (error) {
      if (!(error instanceof SystemError)) throw error; // nobody can say what has become of it
      if (!mayHaveArrived(error)) {
        await announcements.refused(pool, taken);
        throw error;
      }
      await announcements.unanswered(pool, taken);
      if (!taken.every(({ isLast }) => isLast)) throw error;
      log.warn({ err: error, customers: taken.length }, 'customers may not have been told yet');
    }
  }
}
