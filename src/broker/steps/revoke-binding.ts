import { done, skip, type RetryPolicy, type Step } from '#engine';
import { accessNameOf, type BindingFacts } from '../binding.ts';
import type { Services } from '../services.ts';
import { kubeconfigOf } from './runtime-of.ts';

/** Also if no credentials are on record: they may have been made without anybody being told. */
export const revokeBinding = (
  services: Services,
  retry: RetryPolicy & { readonly otherwise?: 'fail' },
): Step<BindingFacts> => ({
  name: 'Revoke_Binding',
  about: 'Removes the account of the binding, and its role, from the cluster.',
  domain: 'Bindings',
  owner: 'Team Gopher',
  retry,
  async run({ facts: { bindingId, instanceId }, signal }) {
    const { bindings, instances, database, clients } = services;
    const instance = await instances.get(database.pool, instanceId);
    if (!instance) return skip('the instance is gone, and its cluster with it');
    const admin = await kubeconfigOf(services, instance, signal);
    if (!admin) return skip('there is no cluster that can be entered');
    await clients.openCluster(admin).temporaryAccess.revoke(accessNameOf(bindingId), signal);
    await bindings.forgetCredentials(database.pool, bindingId);
    return done();
  },
});
