import { SystemError, type MaintenanceSubject, type SpcClient } from '#clients';
import { done, skip, type Step } from '#engine';
import { seconds } from '#time';
import type { Services } from '../services.ts';
import { aWhile } from './avs-maintenance-mode.ts';
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
  async run({ operation, facts, signal }) {
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
    // Looked for first: a second announcement would be a second message to the customer.
    if (await isUnknown(tell())) {
      await announce(spc, { orchestrationId, subject, instanceId, start }, signal);
      await tell();
    }
    return done({ notificationSent: true });
  },
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
