import type { Services } from '../services.ts';
import { abandonedRegistration } from './abandoned-registration.ts';
import { deprovisioning } from './deprovisioning.ts';
import { hibernation } from './hibernation.ts';
import { provisioning } from './provisioning.ts';
import { reconnection } from './reconnection.ts';
import { upgradingKyma } from './upgrading-kyma.ts';
import { upgradingShoot } from './upgrading-shoot.ts';

/** Everything that the provisioner can do to a runtime. */
export const provisionerOperations = (services: Services) => [
  provisioning(services),
  deprovisioning(services),
  upgradingShoot(services),
  upgradingKyma(services),
  hibernation(services),
  reconnection(services),
  abandonedRegistration(services),
];
