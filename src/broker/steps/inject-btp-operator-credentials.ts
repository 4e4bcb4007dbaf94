import { BtpCredentials } from '#clients';
import { done, skip, type Step } from '#engine';
import { seconds } from '#time';
import { smOperatorCredentials } from '../instance.ts';
import type { Services } from '../services.ts';
import { kubeconfigKey } from './get-kubeconfig.ts';
import { smClusterIdOf } from './sm-cluster-id.ts';
import { steady } from './steady.ts';
import { theInstance } from './the-instance.ts';

/** Whatever stands in the Secret is overwritten, whoever wrote it. Incomplete credentials fail for good. */
export const injectBtpOperatorCredentials = (services: Services): Step => ({
  name: 'Inject_BTP_Operator_Credentials',
  about: 'Writes the credentials of the subaccount into a Secret of the cluster.',
  domain: 'Provisioning',
  owner: 'Team Gopher',
  retry: steady(seconds(10)),
  async run({ operation, memory, signal }) {
    const instance = await theInstance(services, { operation });
    const given = smOperatorCredentials(instance.context);
    if (!given) return skip('no BTP credentials were given');
    const credentials = new BtpCredentials({
      clientid: given.clientid,
      clientsecret: given.clientsecret,
      sm_url: given.sm_url,
      tokenurl: given.url,
      cluster_id: await smClusterIdOf(services, instance),
    });
    const cluster = services.clients.openCluster(memory.get(kubeconfigKey));
    await cluster.btpCredentials.ensure(credentials, signal);
    return done();
  },
});
