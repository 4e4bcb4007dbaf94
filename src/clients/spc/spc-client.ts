import { seconds } from '#time';
import { httpClient, type SystemSettings } from '../http-client.ts';

/** Customer notifications: tells the owners of instances when an orchestration will disturb them. */
export type SpcClient = {
  /** Not safe to repeat: a customer hears of it each time. Leave out who was told already. */
  readonly createMaintenanceEvent: (
    orchestrationId: string,
    subject: MaintenanceSubject,
    tenants: readonly AnnouncedTenant[],
    signal: AbortSignal,
  ) => Promise<void>;
  readonly updateMaintenanceEvent: (
    orchestrationId: string,
    tenants: readonly UpdatedTenant[],
    signal: AbortSignal,
  ) => Promise<void>;
  readonly cancelMaintenanceEvent: (orchestrationId: string, signal: AbortSignal) => Promise<void>;
};

export type MaintenanceSubject = keyof typeof eventTypes;

/** With an end, when the orchestration keeps to maintenance windows. */
export type AnnouncedTenant = {
  readonly instanceId: string;
  readonly start: Date;
  readonly end?: Date;
};

export type UpdatedTenant =
  | {
      readonly instanceId: string;
      readonly state: 'under maintenance';
      readonly start: Date;
    }
  | { readonly instanceId: string; readonly state: 'finished'; readonly end: Date }
  | { readonly instanceId: string; readonly state: 'cancelled' };

const eventTypes = { kubernetes: '0', kyma: '1' } as const;

export function spcClient(settings: SystemSettings): SpcClient {
  const http = httpClient('spc', { timeout: seconds(60), ...settings });

  const send = async (
    method: 'POST' | 'PATCH',
    path: string,
    body: { readonly orchestrationId: string },
    what: string,
    signal: AbortSignal,
  ) => {
    await http.request({
      method,
      path,
      headers: { connection: 'close' },
      body,
      expect: [200, 201, 204],
      what: `${what} of orchestration ${body.orchestrationId}`,
      signal,
    });
  };

  return {
    createMaintenanceEvent(orchestrationId, subject, tenants, signal) {
      const body = {
        orchestrationId,
        eventType: eventTypes[subject],
        tenants: tenants.map(onAnnouncement),
      };
      return send('POST', '/createMaintenanceEvent', body, 'announce maintenance', signal);
    },
    updateMaintenanceEvent(orchestrationId, tenants, signal) {
      const body = { orchestrationId, tenants: tenants.map(onUpdate) };
      return send('PATCH', '/updateMaintenanceEvent', body, 'update maintenance', signal);
    },
    cancelMaintenanceEvent(orchestrationId, signal) {
      const body = { orchestrationId };
      return send('PATCH', '/cancelMaintenanceEvent', body, 'cancel maintenance', signal);
    },
  };
}

const onAnnouncement = ({ instanceId, start, end }: AnnouncedTenant) =>
  end
    ? { instanceId, startDateTime: zonedText(start), endDateTime: zonedText(end) }
    : { instanceId, startDateTime: localText(start) };

function onUpdate(tenant: UpdatedTenant) {
  const { instanceId } = tenant;
  switch (tenant.state) {
    case 'under maintenance':
      return { instanceId, startDateTime: localText(tenant.start), eventState: '1' };
    case 'finished':
      return { instanceId, endDateTime: localText(tenant.end), eventState: '2' };
    case 'cancelled':
      return { instanceId, eventState: '3' };
  }
}

/** '2023-09-01 20:00:00' in the zone of this process, which the text does not name. */
function localText(date: Date): string {
  const day = [date.getFullYear(), date.getMonth() + 1, date.getDate()];
  const time = [date.getHours(), date.getMinutes(), date.getSeconds()];
  return `${day.map(twoDigits).join('-')} ${time.map(twoDigits).join(':')}`;
}

/** Windows are announced in another form: '2023-09-01 20:00:00 +0000 UTC'. */
const zonedText = (date: Date) => `${date.toISOString().slice(0, 19).replace('T', ' ')} +0000 UTC`;

const twoDigits = (n: number) => String(n).padStart(2, '0');
