import { operation } from '#engine';
import { hours, minutes, seconds } from '#time';
import type { BindingFacts } from '../binding.ts';
import type { Services } from '../services.ts';
import { awaitExpiry } from '../steps/await-expiry.ts';
import { checkAccess } from '../steps/check-access.ts';
import { createBinding } from '../steps/create-binding.ts';
import { removeBinding } from '../steps/remove-binding.ts';
import { revokeBinding } from '../steps/revoke-binding.ts';

const input = ['bindingId', 'instanceId'] as const;

/** A kubeconfig for whoever asks through a platform. */
export const bind = (services: Services) =>
  operation<BindingFacts>('bind', { timeLimit: hours(1), input })
    .stage('check_access', checkAccess(services))
    .stage('create_binding', createBinding(services));

/** The end of a binding, because a platform wants it. It may be asked for again if the cluster cannot be entered. */
export const unbind = (services: Services) =>
  operation<BindingFacts>('unbind', { timeLimit: hours(2), input })
    .stage(
      'revoke_binding',
      revokeBinding(services, { every: seconds(5), upTo: minutes(1), within: hours(1) }),
    )
    .stage('remove_binding', removeBinding(services));

/** The same when its time is over. Nobody would ask again: this is tried until the cluster can be entered, or for a day. */
export const expireBinding = (services: Services) =>
  operation<BindingFacts>('expire_binding', {
    timeLimit: services.settings.limits.operation,
    input,
  })
    .stage('await_expiry', awaitExpiry(services))
    .stage('revoke_binding', revokeBinding(services, { every: minutes(1), upTo: minutes(10) }))
    .stage('remove_binding', removeBinding(services));
