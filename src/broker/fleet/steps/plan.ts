import { SystemError } from '#clients';
import { inTransaction } from '#database';
import { done, skip, wait, type Step } from '#engine';
import { minutes, seconds } from '#time';
import { Refusal } from '../../errors.ts';
import type { Services } from '../../services.ts';
import { aWhile } from '../../steps/avs-maintenance-mode.ts';
import { steady } from '../../steps/steady.ts';
import { announce } from '../announce.ts';
import { tellsCustomers, type Orchestration } from '../orchestration.ts';
import { planUpgrades } from '../plan-upgrades.ts';

export type OrchestrationInput = { readonly orchestrationId: string };

const about = { domain: 'Orchestration', owner: 'Team SRE' } as const;

/** Runtimes come and go while an orchestration waits for its time: it is planned anew with each look. */
export const planTheUpgrades = (services: Services): Step<OrchestrationInput> => ({
  name: 'Plan_Upgrades',
  about: 'Finds out which runtimes are meant, and when each of them may be worked on.',
  ...about,
  retry: steady(seconds(5)),
  async run({ facts: { orchestrationId: id }, signal, log }) {
    const { fleet, database } = services;
    const found = await fleet.orchestrations.get(database.pool, id);
    if (!found || !isAhead(found)) return skip('its runtimes are settled');
    const now = await fleet.orchestrations.now(database.pool);
    const { scheduleTime, parameters } = found;
    const at = scheduleTime && scheduleTime > now ? scheduleTime : now;
    const plan = await planUpgrades(services, parameters, { at, signal, log }).catch(refused);
    if (plan instanceof Error) {
      log.warn({ err: plan }, 'upgrades cannot be planned');
      const system = plan instanceof SystemError ? plan.system : undefined;
      return wait(minutes(5), plan.message, system);
    }
    const { planned, skipped } = plan;
    if (skipped.length > 0)
      log.warn({ skipped: skipped.length, first: skipped[0] }, 'runtimes are left out');
    await inTransaction(database, async (db) => {
      const current = await fleet.orchestrations.lock(db, id);
      if (!current || !isAhead(current)) return;
      await fleet.upgrades.plan(db, id, planned, tellsCustomers(parameters));
      await fleet.orchestrations.describe(db, id, `Scheduled ${planned.length} operations`);
    });
    return done();
  },
});

export const announceMaintenance = (services: Services): Step<OrchestrationInput> => ({
  name: 'Announce_Maintenance',
  about: 'Tells the customers what is planned.',
  domain: 'SPC',
  owner: 'Team SRE',
  retry: aWhile(services, seconds(5)),
  async run({ facts: { orchestrationId: id }, signal, log }) {
    const { fleet, database } = services;
    const found = await fleet.orchestrations.get(database.pool, id);
    if (!found || !tellsCustomers(found.parameters))
      return skip('the customers are not to be told');
    if (found.state === 'canceling') return skip('it does not come any more');
    await announce(services, found, signal, log);
    const left = await fleet.announcements.timeOnTheWay(database.pool, id);
    return left > 0 ? wait(left, 'an announcement may be on its way', 'spc') : done();
  },
});

export const awaitSchedule = (services: Services): Step<OrchestrationInput> => ({
  name: 'Await_Schedule',
  about: 'Waits for the time that the orchestration was scheduled for.',
  ...about,
  async run({ facts: { orchestrationId: id } }) {
    const { fleet, database } = services;
    const found = await fleet.orchestrations.get(database.pool, id);
    if (!found || !isAhead(found)) return done();
    const now = await fleet.orchestrations.now(database.pool);
    const left = (found.scheduleTime?.getTime() ?? 0) - now.getTime();
    if (left > 0) {
      const because = `it is scheduled for ${found.scheduleTime?.toISOString()}`;
      return wait(Math.min(left, minutes(5)), because);
    }
    return found.pausedBecause === undefined
      ? done()
      : wait(minutes(5), `paused: ${found.pausedBecause}`);
  },
});

/** Somebody has to mend that; until then nothing is lost. */
function refused(error: unknown): SystemError | Refusal {
  if (error instanceof Refusal || (error instanceof SystemError && !error.temporary)) return error;
  throw error;
}

/** Nothing of it has begun, and it may yet. */
const isAhead = ({ state, begunAt }: Orchestration) =>
  begunAt === undefined && (state === 'pending' || state === 'paused');
