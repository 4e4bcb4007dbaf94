import { Cron } from 'croner';

/** The first time after this one, in UTC. */
export function nextDue(schedule: string, after: Date): Date {
  const next = new Cron(schedule, { timezone: 'UTC', mode: '5-part' }).nextRun(after);
  if (!next) throw new Error(`the schedule ${schedule} has no time after ${after.toISOString()}`);
  return next;
}
