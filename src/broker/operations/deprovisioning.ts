import { operation, when } from '#engine';
import type { Services } from '../services.ts';
import { isOn, type Order } from '../steps/conditions.ts';
import { edpDeregistration } from '../steps/edp-deregistration.ts';

export const deprovisioning = (services: Services) =>
  operation<Order>('deprovision', {
    timeLimit: services.settings.limits.operation,
    input: ['plan', 'hasBtpCredentials'],
  }).stage('EDP_Deregistration', when(isOn(services.clients, 'edp'), edpDeregistration(services)));
