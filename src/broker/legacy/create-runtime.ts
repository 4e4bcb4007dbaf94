import { done, type Step } from '#engine';
import { seconds } from '#time';
import { kymaParts } from '../kyma/kyma-parts.ts';
import { requestRuntime } from '../request-runtime.ts';
import type { Services } from '../services.ts';
import type { Order } from '../steps/conditions.ts';
import { steady } from '../steps/steady.ts';
import { planOf, theInstance } from '../steps/the-instance.ts';
import { theOverrides } from '../steps/the-overrides.ts';
import { kymaConfig } from './kyma-config.ts';

/**
 * Cluster and Kyma in one operation of the provisioner: both come, or the operation fails. Safe to repeat: the provisioner
 * knows this operation's id, and keeps to what it was asked first.
 */
export const createRuntime = (
  services: Services,
): Step<
  Order & {
    kymaVersion: string;
    targetSecret?: string;
    lmsDns?: string;
    provisionerOperationId?: string;
  },
  { provisionerOperationId: string }
> => ({
  name: 'Create_Runtime',
  about: 'Asks the Runtime Provisioner for the cluster with Kyma, and all collected settings.',
  domain: 'Provisioning',
  owner: 'Team Gopher',
  needs: ['plan', 'kymaVersion', 'targetSecret', 'lmsDns'],
  gives: ['provisionerOperationId'],
  retry: steady(seconds(5), services.settings.limits.runtimeRequest),
  async run({ operation, facts, memory, signal }) {
    const { targetSecret, lmsDns, kymaVersion, provisionerOperationId } = facts;
    if (provisionerOperationId !== undefined) return done({ provisionerOperationId });
    if (targetSecret === undefined) throw new Error('no step has found an account for the cluster');
    const { instances, database } = services;
    const instance = await theInstance(services, { operation });
    const kyma = kymaConfig({
      plan: planOf(services, instance),
      kymaVersion,
      parts: await kymaParts(services, instance, kymaVersion, signal),
      overrides: theOverrides(memory, instance),
    });
    const labels = { ...(lmsDns !== undefined && { operator_lmsUrl: `https://kibana.${lmsDns}` }) };
    // On record before the call: a removal that finds no runtime then knows by which id to ask for it.
    await instances.remember(database.pool, instance.id, { runtimeRequestedBy: operation.id });
    const request = { operationId: operation.id, targetSecret, kymaConfig: kyma, labels };
    const begun = await requestRuntime(services, instance, request, signal);
    await instances.setRuntime(database.pool, instance.id, begun.runtimeID);
    return done({ provisionerOperationId: begun.id });
  },
});
