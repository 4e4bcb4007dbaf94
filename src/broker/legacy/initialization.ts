import { isDevelopmentVersion } from '#clients';
import { done, fail, type Step } from '#engine';
import { minutes, seconds } from '#time';
import { newClusterName } from '../kyma/cluster-name.ts';
import { kymaParts } from '../kyma/kyma-parts.ts';
import { resolveKymaVersion } from '../kyma/kyma-version.ts';
import type { Services } from '../services.ts';
import type { Order } from '../steps/conditions.ts';
import { steady } from '../steps/steady.ts';
import { theInstance } from '../steps/the-instance.ts';
import { agent } from './kyma-config.ts';

/** Neither can have a Kyma that the provisioner installs: one brings its cluster, the other wants Lifecycle Manager. */
const otherPlans = ['own_cluster', 'preview'];

/** Decides once what the operation builds on. Whatever the provisioner could not install ends here, before anything exists. */
export const initialization = (
  services: Services,
): Step<Order & { kymaVersion?: string }, { kymaVersion: string }> => ({
  name: 'Initialization',
  about: 'Chooses a version of Kyma 1 and a name for the cluster, and begins.',
  domain: 'Provisioning',
  owner: 'Team Gopher',
  needs: ['plan'],
  gives: ['kymaVersion'],
  retry: steady(seconds(5), minutes(5)),
  async run({ operation, facts, signal, log }) {
    if (facts.kymaVersion !== undefined) return done({ kymaVersion: facts.kymaVersion });
    const { instances, database } = services;
    if (otherPlans.includes(facts.plan))
      return fail(new NotInstallable(`plan ${facts.plan} is not served by the operations of 2020`));
    const instance = await theInstance(services, { operation });
    const { version: kymaVersion, origin } = await resolveKymaVersion(services, instance, signal);
    if (!kymaVersion.startsWith('1.') && !isDevelopmentVersion(kymaVersion))
      return fail(new NotInstallable(`the provisioner installs Kyma 1.x, and not ${kymaVersion}`));
    const { list, additional } = await kymaParts(services, instance, kymaVersion, signal);
    const names = [
      ...[...list.prerequisites, ...list.components].map(({ name }) => name),
      ...additional.map(({ component }) => component),
    ];
    if (!names.includes(agent))
      return fail(new NotInstallable(`Kyma ${kymaVersion} has no component ${agent}`));
    const clusterName = newClusterName(instance.parameters.name);
    const version = { kymaVersion };
    await instances.rememberUnlessKnown(database.pool, instance.id, { clusterName }, version);
    log.info({ kymaVersion, origin }, 'the version of Kyma is chosen');
    return done({ kymaVersion });
  },
});

class NotInstallable extends Error {
  override readonly name = 'NotInstallable';
  readonly temporary = false;
  readonly failureClass = 'user';
  readonly reason = 'not_installable';
  readonly action = 'order another plan or version, or have BROKER_OPERATIONS set to current';
}
