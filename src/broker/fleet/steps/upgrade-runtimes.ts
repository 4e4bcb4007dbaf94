import type { Logger } from 'pino';
import { SystemError } from '#clients';
import { done, wait, type Outcome, type Step } from '#engine';
import { minutes, seconds, type Milliseconds } from '#time';
import type { Services } from '../../services.ts';
import { steady } from '../../steps/steady.ts';
import { announce } from '../announce.ts';
import { beginUpgrade } from '../begin-upgrade.ts';
import { tellsCustomers, type Orchestration } from '../orchestration.ts';
import { durationOf } from '../duration-text.ts';
import { review, type Review } from '../review.ts';
import type { DueUpgrade } from '../upgrades-table.ts';
import type { OrchestrationInput } from './plan.ts';

/** So many begin at the same moment: each is a transaction of its own. */
const atOnce = 8;

/** How long until the next look, if nobody calls before. */
const looks = {
  somebodyCouldBegin: seconds(5),
  somethingGoesOn: seconds(30),
  nothingGoesOn: minutes(5),
} as const;

/** One look: what has become of those that had begun, and who is next. Everything it knows is in the database. */
export const upgradeRuntimes = (services: Services): Step<OrchestrationInput> => ({
  name: 'Upgrade_Runtimes',
  about: 'Begins upgrades, as many at a time as wanted, wave by wave, in their windows.',
  domain: 'Orchestration',
  owner: 'Team SRE',
  retry: steady(seconds(5)),
  async run({ facts: { orchestrationId: id }, signal, log }) {
    const found = await review(services, id);
    if (!found) return done();
    const { orchestration, standing } = found;
    const { inProgress } = standing;
    if (orchestration.state === 'canceling')
      return wait(looks.somethingGoesOn, `canceling: ${inProgress} under way`);
    if (orchestration.pausedBecause !== undefined) {
      const because = `paused: ${orchestration.pausedBecause}; ${inProgress} under way`;
      return wait(inProgress > 0 ? looks.somethingGoesOn : looks.nothingGoesOn, because);
    }
    await tellWhoIsNew(services, orchestration, signal, log);
    return beginNext(services, found, signal);
  },
});

async function beginNext(
  services: Services,
  { orchestration, standing, now }: Review,
  signal: AbortSignal,
): Promise<Outcome<object>> {
  const { fleet, database } = services;
  const { wave, waves, inProgress, waveBefore, pending } = standing;
  const { strategy } = orchestration.parameters;
  const { workers } = strategy.parallel;
  const here = waves > 1 ? `wave ${wave} of ${waves}: ` : '';
  const soaked = (waveBefore?.getTime() ?? 0) + durationOf(strategy.waveSoak);
  if (pending > 0 && waveBefore && soaked > now.getTime()) {
    const because = `${here}begins at ${timeOf(new Date(soaked))}, if all stays well`;
    return wait(until(soaked, now, looks.nothingGoesOn), because);
  }

  const room = Math.max(0, workers - inProgress);
  const due = await fleet.upgrades.due(database.pool, orchestration.id, wave, room + 1);
  const begun = await beginAll(services, orchestration, due.slice(0, room), signal);
  const underWay = `${here}${inProgress + begun} of ${workers} under way`;
  if (due.length > room) return wait(looks.somebodyCouldBegin, underWay);
  const next = await fleet.upgrades.nextDue(database.pool, orchestration.id, wave);
  const goesOn = inProgress + begun > 0 ? looks.somethingGoesOn : looks.nothingGoesOn;
  if (!next || next <= now) return wait(Math.min(goesOn, looks.somethingGoesOn), underWay);
  return wait(
    until(next.getTime(), now, goesOn),
    `${underWay}, the next may begin at ${timeOf(next)}`,
  );
}

async function beginAll(
  services: Services,
  orchestration: Orchestration,
  due: readonly DueUpgrade[],
  signal: AbortSignal,
): Promise<number> {
  let begun = 0;
  const left = due.values();
  const worker = async () => {
    for (const upgrade of left) {
      signal.throwIfAborted();
      if (await beginUpgrade(services, orchestration, upgrade)) begun += 1;
    }
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  return begun;
}

/** Retried ones, for the most part. Nobody's upgrade waits because SPC does not answer: they hear of it when it begins. */
async function tellWhoIsNew(
  services: Services,
  orchestration: Orchestration,
  signal: AbortSignal,
  log: Logger,
): Promise<void> {
  if (!tellsCustomers(orchestration.parameters)) return;
  try {
    await announce(services, orchestration, signal, log);
  } catch (error) {
    if (!(error instanceof SystemError)) throw error;
    log.warn({ err: error }, 'customers could not be told; will try again with the next look');
  }
}

const until = (time: number, now: Date, atMost: Milliseconds) =>
  Math.min(atMost, Math.max(0, time - now.getTime()));

const timeOf = (date: Date) => date.toISOString().slice(0, 19) + 'Z';
