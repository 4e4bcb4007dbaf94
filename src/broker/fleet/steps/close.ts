import { done, finish, skip, type Step } from '#engine';
import { seconds } from '#time';
import type { Services } from '../../services.ts';
import { aWhile } from '../../steps/avs-maintenance-mode.ts';
import { isUnknown } from '../../steps/send-notification.ts';
import type { OrchestrationInput } from './plan.ts';

export const cancelAnnouncement = (services: Services): Step<OrchestrationInput> => ({
  name: 'Cancel_Announcement',
  about: 'Tells the customers that the upgrade does not come.',
  domain: 'SPC',
  owner: 'Team SRE',
  retry: aWhile(services, seconds(5)),
  async run({ facts: { orchestrationId: id }, signal }) {
    const { fleet, clients, database } = services;
    const found = await fleet.orchestrations.get(database.pool, id);
    if (found?.state !== 'canceled') return skip('it was not canceled');
    if (!clients.spc || !(await fleet.announcements.isAnyTold(database.pool, id)))
      return skip('no customer was told');
    await isUnknown(clients.spc.cancelMaintenanceEvent(id, signal));
    await fleet.announcements.cancel(database.pool, id);
    return done();
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
