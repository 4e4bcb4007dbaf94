import { lockInstance } from '../api/instance-state.ts';
import { leavesSomething } from '../start-unsuspension.ts';
import { startDeprovisioning } from '../start-deprovisioning.ts';
import { leftOver } from '../steps/removal.ts';
import { withResidue } from './candidates.ts';
import type { Job, JobSettings } from './job.ts';
import { overAll } from './over-all.ts';

/** A removal that gave up on some steps ends all the same, with them on record. This tries them again until none is left. */
export const deprovisionRetrigger = (settings: JobSettings): Job => ({
  name: 'deprovision-retrigger',
  about: 'Runs the steps again that removals and suspensions have left behind',
  settings,
  run: overAll(
    ({ services: { database } }, after, limit) => withResidue(database.pool, { after, limit }),
    async ({ services, dryRun }, id, db) => {
      const found = await lockInstance(services, id, db);
      if (!found) return undefined;
      const { instance, state, last } = found;
      const isResidue =
        state === 'remains' || (state === 'suspended' && leavesSomething(instance, last));
      if (!isResidue || last.ended_at === null)
        return { subject: id, outcome: 'sanity failed', because: `the instance is ${state}` };
      const left = last.not_completed.join(', ');
      if (dryRun) return { subject: id, outcome: 'candidate', because: left };
      const operation = await startDeprovisioning(
        services,
        { instanceId: id, temporary: state === 'suspended', ...leftOver(last) },
        db,
      );
      return operation && { subject: id, outcome: 'accepted', because: left };
    },
  ),
});
