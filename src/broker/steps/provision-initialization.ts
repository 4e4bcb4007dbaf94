import { done, type Step } from '#engine';
import { minutes, seconds } from '#time';
import { newClusterName } from '../kyma/cluster-name.ts';
import { kymaParts, reconcilerInstallsKyma } from '../kyma/kyma-parts.ts';
import { resolveKymaVersion } from '../kyma/kyma-version.ts';
import type { Services } from '../services.ts';
import type { Order } from './conditions.ts';
import { steady } from './steady.ts';
import { theInstance } from './the-instance.ts';

/** Decides once what the whole operation builds on, and finds out whether it can be installed before anything exists. */
export const provisionInitialization = (
  services: Services,
): Step<Order & { kymaVersion?: string }, { kymaVersion: string }> => ({
  name: 'Provision_Initialization',
  about: 'Chooses the version of Kyma and a name for the cluster, and begins.',
  domain: 'Provisioning',
  owner: 'Team Gopher',
  gives: ['kymaVersion'],
  retry: steady(seconds(5), minutes(5)),
  async run({ operation, facts, signal, log }) {
    if (facts.kymaVersion !== undefined) return done({ kymaVersion: facts.kymaVersion });
    const { instances, database } = services;
    const instance = await theInstance(services, { operation });
    const { version: kymaVersion, origin } = await resolveKymaVersion(services, instance, signal);
    if (reconcilerInstallsKyma(services, instance)) {
      await kymaParts(services, instance, kymaVersion, signal);
    }
    const clusterName = newClusterName(instance.parameters.name);
    const version = { kymaVersion };
    await instances.rememberUnlessKnown(database.pool, instance.id, { clusterName }, version);
    log.info({ kymaVersion, origin }, 'the version of Kyma is chosen');
    return done({ kymaVersion });
  },
});
