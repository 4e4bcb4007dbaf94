import { SystemError, type MaintenanceSubject, type SpcClient } from '#clients';
import { inTransaction } from '#database';
import { done, skip, wait, type Step } from '#engine';
import { minutes, seconds } from '#time';
import type { Services } from '../services.ts';
import { aWhile } from './avs-maintenance-mode.ts';
import { InstanceGone } from './the-instance.ts';
import type { Upgrade } from './upgrade.ts';

/** Customers hear of it once, however often the stage starts over. */
export const sendNotification = (
  services: Services,
  subject: MaintenanceSubject,
): Step<
  { plan: string; notificationSent?: true } & Upgrade,
  { readonly notificationSent?: true }
> => ({
  name: 'Send_Notification',
  about: 'Tells the customer that the maintenance begins.',
  domain: 'SPC',
  owner: 'Team SRE',
  gives: ['notificationSent'],
  retry: aWhile(services, seconds(5)),
  async run({ operation, facts, attempt, signal }) {
    const { spc } = services.clients;
    if (!spc || facts.notificationSent) return skip('the customer knows');
    const { subject: instanceId } = operation;
    const orchestrationId = facts.orchestrationId ?? operation.id;
    const start = new Date();
    const tell = () =>
      spc.updateMaintenanceEvent(
        orchestrationId,
        [{ instanceId, state: 'under maintenance', start }],
        signal,
      );
    // First this: whoever ends it has to know, also if nobody hears how the telling went.
    await note(services, instanceId, orchestrationId, 0);
    if (await isUnknown(tell())) {
      // SPC knows no key, and a second announcement would be a second message to the customer: a replica that is believed
      // dead may be about to send the first one.
      if (!(await note(services, instanceId, orchestrationId, attempt)))
        return wait(minutes(1), 'the announcement may be on its way', 'spc');
      await announce(spc, { orchestrationId, subject, instanceId, start }, signal);
      await tell();
    }
    return done({ notificationSent: true });
  },
});

/** False if this attempt, or one after it, is on record for the event. */
const note = (
  { instances, database }: Services,
  instanceId: string,
  event: string,
  attempt: number,
): Promise<boolean> =>
  inTransaction(database, async (db) => {
    const instance = await instances.lock(db, instanceId);
    if (!instance) throw new InstanceGone(instanceId);
    const { maintenanceEvents = {} } = instance.details;
    if (attempt <= (maintenanceEvents[event] ?? -1)) return false;
    const noted = { ...maintenanceEvents, [event]: attempt };
    await instances.remember(db, instanceId, { maintenanceEvents: noted });
    return true;
  });

const announce = (
  spc: SpcClient,
  event: {
    readonly orchestrationId: string;
    readonly subject: MaintenanceSubject;
    readonly instanceId: string;
    readonly start: Date;
  },
  signal: AbortSignal,
) =>
  spc.createMaintenanceEvent(
    event.orchestrationId,
    event.subject,
    [{ instanceId: event.instanceId, start: event.start }],
    signal,
  );

/** SPC has never heard of the event, or of this customer in it. */
export async function isUnknown(told: Promise<void>): Promise<boolean> {
  try {
    await told;
    return false;
  } catch (error) {
    if (error instanceof SystemError && error.status === 404) return true;
    throw error;
  }
}
