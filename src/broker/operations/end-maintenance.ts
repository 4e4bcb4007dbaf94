import { operation, when } from '#engine';
import type { Services } from '../services.ts';
import { isOn } from '../steps/conditions.ts';
import { endNotification } from '../steps/end-notification.ts';
import { restoreMonitoring } from '../steps/restore-monitoring.ts';
import { customerIsTold } from '../steps/upgrade.ts';

/** What it was started with: the upgrade's name towards SPC. */
export type MaintenanceEnd = {
  readonly plan: string;
  readonly orchestrationId: string;
  readonly notification?: boolean;
};

/**
 * Accepted together with an upgrade, and waiting behind it: the engine begins it when the upgrade has ended, be it that it
 * succeeded, failed, ran out of time or was canceled. So no upgrade leaves a runtime that nobody watches.
 */
export const endMaintenance = (services: Services) =>
  operation<MaintenanceEnd>('endMaintenance', {
    timeLimit: services.settings.limits.upgrade,
    input: ['plan', 'orchestrationId', 'notification'],
  })
    .stage('monitoring', when(isOn(services.clients, 'avs'), restoreMonitoring(services)))
    .stage(
      'notification',
      when(isOn(services.clients, 'spc'), when(customerIsTold, endNotification(services))),
    );
