import { Secret } from '#database';
import { done, finish, wait, type Step } from '#engine';
import { minutes, seconds } from '#time';
import { accessNameOf, type BindingFacts } from '../binding.ts';
import type { Services } from '../services.ts';
import { kubeconfigOf } from './runtime-of.ts';

/** Safe to repeat: the account in the cluster is named after the binding, and a token that nobody was told of ends by itself. */
export const createBinding = (services: Services): Step<BindingFacts> => ({
  name: 'Create_Binding',
  about: 'Makes a kubeconfig that expires: an account in the cluster, its role and a token.',
  domain: 'Bindings',
  owner: 'Team Gopher',
  retry: { every: seconds(5), upTo: minutes(1), within: minutes(30) },
  async run({ facts: { bindingId, instanceId }, signal }) {
    const { bindings, instances, database, clients } = services;
    const binding = await bindings.get(database.pool, bindingId);
    const instance = await instances.get(database.pool, instanceId);
    if (!binding || !instance) return finish('the binding is gone with its instance');
    if (binding.credentials) return done();
    const admin = await kubeconfigOf(services, instance, signal);
    if (!admin)
      return wait(seconds(30), 'there is no kubeconfig of the runtime yet', 'provisioner');
    const began = Date.now();
    const granted = await clients.openCluster(admin).temporaryAccess.grant(
      {
        name: accessNameOf(bindingId),
        lifetime: seconds(binding.parameters.expiration_seconds),
      },
      signal,
    );
    const credentials = {
      kubeconfig: new Secret(granted.kubeconfig.reveal()),
      server: granted.server,
    };
    // The token's time has run since it was made; nobody may be told of a later end than it has.
    const left = granted.lifetime - (Date.now() - began);
    await bindings.setCredentials(database.pool, bindingId, credentials, left);
    return done();
  },
});
