import { done, type Step } from '#engine';
import { putIntoForce } from '../put-into-force.ts';
import type { Services } from '../services.ts';
import type { Update } from './update-kyma-initialization.ts';

/** Behind the steps that have seen the change in the cluster: an update that fails before leaves the instance as it was. */
export const updateInstance = (services: Services): Step<Update> => ({
  name: 'Update_Instance',
  about: 'Gives the instance the plan, parameters and context that its cluster has now.',
  domain: 'Update',
  owner: 'Team Gopher',
  async run({ operation, facts: { wanted } }) {
    await putIntoForce(services, operation.subject, wanted);
    const { instances, database } = services;
    await instances.remember(database.pool, operation.subject, { unsettled: null });
    return done();
  },
});
