import { condition } from '#engine';
import type { Services } from '../services.ts';
import type { Order } from '../steps/conditions.ts';

/** Trials get neither logs nor a message broker of their own. */
export const isNotTrial = condition<Order>('the plan is not trial', ({ plan }) => plan !== 'trial');

export const isOnAzure = condition<Order>(
  'the cluster is on Azure, in an account that is not shared',
  ({ plan }) => plan === 'azure' || plan === 'azure_lite',
);

export const registersInIas = ({ clients, settings }: Services) =>
  condition(
    'runtimes are registered in IAS',
    () => clients.ias !== undefined && settings.older?.registersInIas === true,
  );

export const hasEventHubs = ({ settings }: Services) =>
  condition('Event Hubs are switched on', () => settings.older?.eventHubs === true);

export const sendsLogs = ({ clients, settings }: Services) =>
  condition(
    'LMS is switched on',
    () => clients.lms !== undefined && settings.older?.lms !== undefined,
  );

export const hasServiceManager = ({ settings }: Services) =>
  condition('Service Manager is set', () => settings.older?.serviceManager !== undefined);
