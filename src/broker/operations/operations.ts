import { orchestrate } from '../fleet/orchestrate.ts';
import { withOlderSteps } from '../legacy/single-steps.ts';
import type { Services } from '../services.ts';
import { bind, expireBinding, unbind } from './bindings.ts';
import { deprovisioning } from './deprovisioning.ts';
import { endMaintenance } from './end-maintenance.ts';
import { legacyDeprovisioning } from './legacy-deprovisioning.ts';
import { legacyProvisioning } from './legacy-provisioning.ts';
import { provisioning } from './provisioning.ts';
import { ableToGoOn } from './able-to-go-on.ts';
import { update } from './update.ts';
import { upgradeCluster } from './upgrade-cluster.ts';
import { upgradeKyma } from './upgrade-kyma.ts';

/** Everything that the broker can do to an instance and its bindings. */
export const brokerOperations = (services: Services) => [
  ...(services.settings.legacy
    ? [legacyProvisioning(services), legacyDeprovisioning(services)]
    : withOlderSteps([provisioning(services), deprovisioning(services)], services)
  ).map(ableToGoOn),
  update(services),
  upgradeKyma(services),
  upgradeCluster(services),
  endMaintenance(services),
  orchestrate(services),
  bind(services),
  unbind(services),
  expireBinding(services),
];
