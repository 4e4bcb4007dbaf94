import { inTransaction } from '#database';
import type { Services } from '../services.ts';
import { budgetExceeded } from './error-budget.ts';
import { hasEnded, type Orchestration } from './orchestration.ts';
import { inWords, standingOf, type Standing } from './progress.ts';

export type Review = {
  readonly orchestration: Orchestration;
  readonly standing: Standing;
  readonly now: Date;
};

/**
 * Looks how far it has come, and settles what follows from that: that it has begun, halts, or is over. While this
 * is decided nobody changes it; who retries something afterwards finds it ended.
 */
export async function review(
  { database, fleet: { orchestrations, upgrades } }: Services,
  id: string,
): Promise<Review | undefined> {
  return inTransaction(database, async (db) => {
    let orchestration = await orchestrations.lock(db, id);
    if (!orchestration || hasEnded(orchestration.state)) return undefined;
    const change = async (to: Parameters<typeof orchestrations.change>[2]) => {
      await orchestrations.change(db, id, to);
      orchestration = (await orchestrations.get(db, id)) ?? orchestration;
    };
    await upgrades.settle(db, id);
    if (orchestration.state === 'canceling')
      await upgrades.cancelPending(db, id, `orchestration ${id} was canceled`);
    const standing = standingOf(await upgrades.counts(db, id));
    const now = await orchestrations.now(db);
    if (standing.pending + standing.inProgress === 0) {
      const state =
        orchestration.state === 'canceling'
          ? 'canceled'
          : standing.failed > 0
            ? 'failed'
            : 'succeeded';
      await change({ state, description: inWords(standing) });
      return undefined;
    }
    if (orchestration.state === 'pending' || orchestration.state === 'retrying')
      await change({ state: 'in progress' });
    if (orchestration?.state === 'in progress') {
      const { parameters, forgiven } = orchestration;
      const why = budgetExceeded(parameters.strategy.errorBudget, { ...standing, forgiven });
      if (why !== undefined) await change({ state: 'paused', pausedBecause: why });
    }
    if (orchestration?.state === 'in progress') await upgrades.moveWindows(db, id, now);
    return { orchestration, standing, now };
  });
}
