import { done, finish, wait, type Step } from '#engine';
import { minutes, seconds } from '#time';
import type { BindingFacts } from '../binding.ts';
import type { Services } from '../services.ts';
import { kubeconfigOf } from './runtime-of.ts';

/** Changes nothing: as long as an operation has not got further than this, there is nothing to undo. */
export const checkAccess = (services: Services): Step<BindingFacts> => ({
  name: 'Check_Access',
  about: 'Waits until the cluster of the runtime can be entered.',
  domain: 'Bindings',
  owner: 'Team Gopher',
  retry: { every: seconds(5), upTo: minutes(1), within: minutes(30) },
  async run({ facts: { instanceId }, signal }) {
    const { instances, database, clients } = services;
    const instance = await instances.get(database.pool, instanceId);
    if (!instance) return finish('the binding is gone with its instance');
    const admin = await kubeconfigOf(services, instance, signal);
    if (!admin)
      return wait(seconds(30), 'there is no kubeconfig of the runtime yet', 'provisioner');
    await clients.openCluster(admin).version(signal);
    return done();
  },
});
