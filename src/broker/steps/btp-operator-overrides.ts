import { done, skip, type Step } from '#engine';
import { minutes, seconds } from '#time';
import { smOperatorCredentials } from '../instance.ts';
import type { Services } from '../services.ts';
import type { Wishing } from '../wanted-changes.ts';
import { smClusterIdOf, type ClusterIdentity } from './sm-cluster-id.ts';
import { steady } from './steady.ts';
import { theInstance } from './the-instance.ts';
import { theOverrides } from './the-overrides.ts';

const component = 'btp-operator';

/** The operator is installed only with credentials, and only where the plan has it. */
export const btpOperatorOverrides = (
  services: Services,
  identity?: ClusterIdentity,
): Step<Wishing & { kymaVersion: string }> => ({
  name: 'BTPOperatorOverrides',
  about: 'Has the BTP operator installed with the credentials of the subaccount.',
  domain: 'BTP',
  owner: 'Team Gopher',
  retry: steady(seconds(5), minutes(5)),
  async run({ operation, facts, memory, signal }) {
    const { kymaVersion } = facts;
    const instance = await theInstance(services, { operation, facts });
    const credentials = smOperatorCredentials(instance.context);
    if (!credentials) return skip('no BTP credentials were given');
    const { planName } = instance;
    const { controlPlane } = services.clients;
    const { additionalComponents } = await controlPlane.brokerConfig(
      { planName, kymaVersion },
      signal,
    );
    if (!additionalComponents.some((each) => each.component === component))
      return skip(`plan ${planName} has no ${component}`);
    const overrides = theOverrides(memory, instance);
    const clusterId = await smClusterIdOf(services, instance, { identity, memory, signal });
    overrides.appendOverrides(component, [
      { key: 'manager.secret.clientid', value: credentials.clientid, secret: true },
      { key: 'manager.secret.clientsecret', value: credentials.clientsecret, secret: true },
      { key: 'manager.secret.url', value: credentials.sm_url },
      { key: 'manager.secret.sm_url', value: credentials.sm_url },
      { key: 'manager.secret.tokenurl', value: credentials.url },
      { key: 'cluster.id', value: clusterId },
      { key: 'manager.priorityClassName', value: 'kyma-system' },
    ]);
    overrides.enable(component);
    return done();
  },
});
