import type { Services } from '../services.ts';
import { deprovisioning } from './deprovisioning.ts';
import { provisioning } from './provisioning.ts';

/** Everything that the broker can do to an instance. */
export const brokerOperations = (services: Services) => [
  provisioning(services),
  deprovisioning(services),
];
