import { done, type Step } from '#engine';
import { seconds } from '#time';
import { requestRuntime } from '../request-runtime.ts';
import type { Services } from '../services.ts';
import type { Order } from './conditions.ts';
import { steady } from './steady.ts';
import { theInstance } from './the-instance.ts';

/** Safe to repeat: the provisioner knows this operation's id, and gives the runtime that it made for it. */
export const createRuntimeWithoutKyma = (
  services: Services,
): Step<
  Order & { targetSecret?: string; provisionerOperationId?: string },
  { provisionerOperationId: string }
> => ({
  name: 'Create_Runtime_Without_Kyma',
  about: 'Asks the Runtime Provisioner for the cluster.',
  domain: 'Provisioning',
  owner: 'Team Gopher',
  gives: ['provisionerOperationId'],
  retry: steady(seconds(5), services.settings.limits.runtimeRequest),
  async run({ operation, facts, signal }) {
    const { targetSecret, provisionerOperationId } = facts;
    if (provisionerOperationId !== undefined) return done({ provisionerOperationId });
    if (targetSecret === undefined) throw new Error('no step has found an account for the cluster');
    const { instances, database } = services;
    const instance = await theInstance(services, { operation });
    // On record before the call: a removal that finds no runtime then knows by which id to ask for it.
    await instances.remember(database.pool, instance.id, { runtimeRequestedBy: operation.id });
    const request = { operationId: operation.id, targetSecret };
    const begun = await requestRuntime(services, instance, request, signal);
    await instances.setRuntime(database.pool, instance.id, begun.runtimeID);
    return done({ provisionerOperationId: begun.id });
  },
});
