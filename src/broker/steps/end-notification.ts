import { done, skip, type RetryPolicy, type Step } from '#engine';
import type { Services } from '../services.ts';
import { isUnknown } from './send-notification.ts';
import { theInstance } from './the-instance.ts';

/**
 * Of every maintenance on record: one that could not be ended in its time is ended by the next upgrade, or when the runtime is
 * removed. Whom nobody has told of a beginning, nobody tells of an end.
 */
export const endNotification = (services: Services, retry: RetryPolicy): Step => ({
  name: 'End_Notification',
  about: 'Tells the customer that the maintenance is over.',
  domain: 'SPC',
  owner: 'Team SRE',
  retry,
  async run({ operation, signal }) {
    const { clients, instances, database } = services;
    const { id: instanceId, details } = await theInstance(services, { operation });
    const events = Object.keys(details.maintenanceEvents ?? {});
    if (!clients.spc || events.length === 0) return skip('the customer was told of no maintenance');
    const tenant = { instanceId, state: 'finished', end: new Date() } as const;
    let isTold = false;
    for (const event of events) {
      const told = clients.spc.updateMaintenanceEvent(event, [tenant], signal);
      if (!(await isUnknown(told))) isTold = true;
    }
    await instances.remember(database.pool, instanceId, { maintenanceEvents: null });
    return isTold ? done() : skip('the customer was never told that it began');
  },
});
