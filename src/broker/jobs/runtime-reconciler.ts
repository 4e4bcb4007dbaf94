import { BtpCredentials, differingKeys } from '#clients';
import { findInstance } from '../api/instance-state.ts';
import { smOperatorCredentials, type Instance } from '../instance.ts';
import { kubeconfigOf } from '../steps/runtime-of.ts';
import { withRuntime } from './candidates.ts';
import type { Entry, Job, JobContext, JobSettings } from './job.ts';
import { overAllOutside } from './over-all.ts';

/** Somebody may have changed or lost the credentials in a cluster. They are put back, unless the cluster's owner objects. */
export const runtimeReconciler = (settings: JobSettings): Job => ({
  name: 'runtime-reconciler',
  about: 'Keeps the BTP credentials in the clusters equal to those on record',
  settings,
  run: overAllOutside(
    ({ services: { database } }, after, limit) => withRuntime(database.pool, { after, limit }),
    reconcile,
  ),
});

async function reconcile(context: JobContext, id: string): Promise<Entry | undefined> {
  const { services, signal, log } = context;
  const found = await findInstance(services, id);
  if (!found) return undefined;
  // An operation sets the credentials itself, or makes an end of them.
  if (found.state !== 'ready')
    return { subject: id, outcome: 'skipped', because: `the instance is ${found.state}` };
  const wanted = wantedBy(found.instance);
  if (!wanted) return undefined;
  try {
    const kubeconfig = await kubeconfigOf(services, found.instance, signal);
    if (!kubeconfig)
      return {
        subject: id,
        outcome: 'skipped',
        because: 'there is no cluster that can be entered',
      };
    const secret = services.clients.openCluster(kubeconfig).btpCredentials;
    const current = await secret.get(signal);
    const differing = differingKeys(wanted, current);
    if (differing.length === 0) return { subject: id, outcome: 'equal' };
    const because = current ? `other values of ${differing.join(', ')}` : 'the Secret is missing';
    if (await secret.isLeftAlone(signal))
      return {
        subject: id,
        outcome: 'left alone',
        because: `${because}, but nobody shall touch it`,
      };
    if (context.dryRun) return { subject: id, outcome: 'candidate', because };
    return { subject: id, outcome: await secret.ensure(wanted, signal), because };
  } catch (error) {
    signal.throwIfAborted();
    log.warn({ err: error, instance: id }, 'could not reconcile the credentials of a runtime');
    return { subject: id, outcome: 'failed', because: error instanceof Error ? error.message : '' };
  }
}

/** Undefined if none were given, or the cluster has no identity towards BTP yet. */
function wantedBy({ context, details }: Instance): BtpCredentials | undefined {
  const given = smOperatorCredentials(context);
  if (!given || details.smClusterId === undefined) return undefined;
  const { clientid, clientsecret, sm_url, url: tokenurl } = given;
  return new BtpCredentials({
    clientid,
    clientsecret,
    sm_url,
    tokenurl,
    cluster_id: details.smClusterId,
  });
}
