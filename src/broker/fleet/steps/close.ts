import { done, finish, skip, wait, type RetryPolicy, type Step } from '#engine';
import { days, minutes, seconds } from '#time';
import type { Services } from '../../services.ts';
import { isUnknown } from '../../steps/send-notification.ts';
import { hasEnded, tellsCustomers } from '../orchestration.ts';
import type { OrchestrationInput } from './plan.ts';

/** Nobody waits for this one, and customers should not wait in vain. */
const patiently = {
  every: seconds(5),
  upTo: minutes(5),
  within: days(7),
  otherwise: 'go on',
} as const satisfies RetryPolicy;

/** SPC hears of it first, and may hear of it twice: that changes nothing there. */
export const cancelAnnouncement = (services: Services): Step<OrchestrationInput> => ({
  name: 'Cancel_Announcement',
  about: 'Tells the customers that the upgrade does not come.',
  domain: 'SPC',
  owner: 'Team SRE',
  retry: patiently,
  async run({ facts: { orchestrationId: id }, signal }) {
    const { clients, database } = services;
    const { orchestrations, announcements } = services.fleet;
    const found = await orchestrations.get(database.pool, id);
    if (!clients.spc || !found || !tellsCustomers(found.parameters))
      return skip('no customer was told');
    if (!hasEnded(found.state)) return skip('it goes on');
    const left = await announcements.timeOnTheWay(database.pool, id);
    if (left > 0) return wait(left, 'an announcement may be on its way', 'spc');

    const inVain = await announcements.inVain(database.pool, id);
    if (found.state === 'canceled') {
      // Also if nobody is known to have been told: SPC knows better.
      const isNews = await isUnknown(clients.spc.cancelMaintenanceEvent(id, signal));
      await announcements.takenBack(database.pool, id, inVain);
      return isNews ? skip('no customer was told') : done();
    }
    for (const instanceId of inVain) {
      const tenant = { instanceId, state: 'cancelled' } as const;
      await isUnknown(clients.spc.updateMaintenanceEvent(id, [tenant], signal));
      await announcements.takenBack(database.pool, id, [instanceId]);
    }
    return inVain.length > 0 ? done() : skip('nobody was told in vain');
  },
});

export const closeOrchestration = ({ fleet, database }: Services): Step<OrchestrationInput> => ({
  name: 'Close_Orchestration',
  about: 'Says how it went.',
  domain: 'Orchestration',
  owner: 'Team SRE',
  async run({ facts: { orchestrationId: id } }) {
    const found = await fleet.orchestrations.get(database.pool, id);
    return finish(found ? `${found.state}: ${found.description}` : 'it is no longer on record');
  },
});
