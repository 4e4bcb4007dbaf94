import { bindingSubject } from '../binding.ts';
import { startUnbinding } from '../start-unbinding.ts';
import { expiredBindings } from './candidates.ts';
import type { Job, JobSettings } from './job.ts';
import { overAll } from './over-all.ts';

/** Bindings end by themselves when their time is over, unless their cluster could not be entered for a whole day. */
export const bindingCleanup = (settings: JobSettings): Job => ({
  name: 'binding-cleanup',
  about: 'Removes bindings whose time is over and that are still there',
  settings,
  run: overAll(
    ({ services: { database }, now }, after, limit) =>
      expiredBindings(database.pool, { after, limit }, now),
    async ({ services, dryRun }, bindingId, db) => {
      const { bindings, engine } = services;
      const binding = await bindings.lock(db, bindingId);
      if (!binding?.isExpired) return undefined;
      const operations = await engine.ofSubject(bindingSubject(bindingId), 100, db);
      const open = operations.find(({ ended_at }) => ended_at === null);
      if (open)
        return { subject: bindingId, outcome: 'skipped', because: `${open.type} is under way` };
      if (dryRun) return { subject: bindingId, outcome: 'candidate' };
      const started = await startUnbinding(
        services,
        { bindingId, instanceId: binding.instanceId },
        db,
      );
      return started && { subject: bindingId, outcome: 'accepted' };
    },
  ),
});
