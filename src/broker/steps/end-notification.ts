import { done, skip, type Step } from '#engine';
import type { Services } from '../services.ts';
import { aWhile } from './avs-maintenance-mode.ts';
import { isUnknown } from './send-notification.ts';

/** Whom nobody has told of a beginning, nobody tells of an end. */
export const endNotification = (services: Services): Step<{ orchestrationId: string }> => ({
  name: 'End_Notification',
  about: 'Tells the customer that the maintenance is over.',
  domain: 'SPC',
  owner: 'Team SRE',
  retry: aWhile(services),
  async run({ operation, facts: { orchestrationId }, signal }) {
    const { spc } = services.clients;
    if (!spc) return skip('SPC is switched off');
    const tenant = { instanceId: operation.subject, state: 'finished', end: new Date() } as const;
    const told = spc.updateMaintenanceEvent(orchestrationId, [tenant], signal);
    return (await isUnknown(told)) ? skip('the customer was never told that it began') : done();
  },
});
