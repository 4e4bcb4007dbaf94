import { operation, when } from '#engine';
import type { Services } from '../services.ts';
import { clusterIsOurs, isOn, type Order } from '../steps/conditions.ts';
import { edpRegistration } from '../steps/edp-registration.ts';

export const provisioning = (services: Services) =>
  operation<Order>('provision', {
    timeLimit: services.settings.limits.operation,
    input: ['plan', 'hasBtpCredentials'],
  }).stage(
    'create_runtime',
    when(isOn(services.clients, 'edp'), when(clusterIsOurs, edpRegistration(services))),
  );
