import { BtpCredentials } from '#clients';
import { done, skip, type Step } from '#engine';
import { seconds } from '#time';
import { smOperatorCredentials } from '../instance.ts';
import { putIntoForce } from '../put-into-force.ts';
import type { Services } from '../services.ts';
import type { Wishing } from '../wanted-changes.ts';
import type { Order } from './conditions.ts';
import { kubeconfigKey } from './get-kubeconfig.ts';
import { smClusterIdOf, type ClusterIdentity } from './sm-cluster-id.ts';
import { steady } from './steady.ts';
import { theInstance } from './the-instance.ts';

/** Whatever stands in the Secret is overwritten, whoever wrote it. Incomplete credentials fail for good. */
export const injectBtpOperatorCredentials = (
  services: Services,
  identity?: ClusterIdentity,
): Step<Order & Wishing> => ({
  name: 'Inject_BTP_Operator_Credentials',
  about: 'Writes the credentials of the subaccount into a Secret of the cluster.',
  domain: 'Provisioning',
  owner: 'Team Gopher',
  retry: steady(seconds(10)),
  async run({ operation, facts, memory, signal }) {
    const instance = await theInstance(services, { operation, facts });
    const given = smOperatorCredentials(instance.context);
    if (!given) return skip('no BTP credentials were given');
    const credentials = new BtpCredentials({
      clientid: given.clientid,
      clientsecret: given.clientsecret,
      sm_url: given.sm_url,
      tokenurl: given.url,
      cluster_id: await smClusterIdOf(services, instance, { identity, memory, signal }),
    });
    const cluster = services.clients.openCluster(memory.get(kubeconfigKey));
    await cluster.btpCredentials.ensure(credentials, signal);
    const { sm_operator_credentials } = facts.wanted?.context ?? {};
    // In force whatever becomes of the rest: the old ones may be invalid by now, and nobody shall bring them back.
    if (sm_operator_credentials)
      await putIntoForce(services, instance.id, {
        parameters: {},
        context: { sm_operator_credentials },
      });
    return done();
  },
});
