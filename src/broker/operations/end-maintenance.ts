import { operation, when } from '#engine';
import type { Services } from '../services.ts';
import { aWhile } from '../steps/avs-maintenance-mode.ts';
import { isOn, type Order } from '../steps/conditions.ts';
import { endNotification } from '../steps/end-notification.ts';
import { restoreMonitoring } from '../steps/restore-monitoring.ts';

/**
 * Accepted together with an upgrade, and waiting behind it: the engine begins it when the upgrade has ended, be it that it
 * succeeded, failed, ran out of time or was canceled. So no upgrade leaves a runtime that nobody watches. If the runtime is
 * removed instead, that removal ends the maintenance.
 */
export const endMaintenance = (services: Services) =>
  operation<Pick<Order, 'plan'>>('endMaintenance', {
    timeLimit: services.settings.limits.upgrade,
    input: ['plan'],
  })
    .stage('monitoring', when(isOn(services.clients, 'avs'), restoreMonitoring(services)))
    .stage(
      'notification',
      when(isOn(services.clients, 'spc'), endNotification(services, aWhile(services))),
    );
