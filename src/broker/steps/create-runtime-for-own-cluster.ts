import { randomUUID } from 'node:crypto';
import { done, type Step } from '#engine';
import type { Services } from '../services.ts';
import { theInstance } from './the-instance.ts';

/** The cluster is there already, and nobody but us has to know it: its id is ours, drawn once. */
export const createRuntimeForOwnCluster = (services: Services): Step => ({
  name: 'Create_Runtime_For_Own_Cluster',
  about: 'Gives the cluster that the customer brings an id as a runtime.',
  domain: 'Provisioning',
  owner: 'Team Gopher',
  async run({ operation }) {
    const { instances, database } = services;
    const { id } = await theInstance(services, { operation });
    await instances.giveRuntime(database.pool, id, randomUUID());
    return done();
  },
});
