import { done, operation, wait, type Step } from '#engine';
import { days, minutes, seconds } from '#time';
import type { Services } from '../services.ts';

/** Which registration is meant: Director finds it by this label. */
export type Registration = { readonly tenant: string; readonly operationId: string };
export const registrationLabel = 'provisioner_operation_id';

/** A request has so much time to get from its registration to its operation. */
const patience = minutes(10);

/**
 * Begun before a runtime is registered in Director, canceled by the transaction that stores the runtime. If the process
 * dies in between, this is what is left of the request, and it gives the registration back.
 */
const waitForRequest: Step = {
  name: 'Wait_For_Request',
  about: 'Gives the request that registers a runtime the time that it needs.',
  domain: 'Director',
  owner: 'Team Framefrog',
  run: async ({ attempt }) =>
    attempt === 1 ? wait(patience, 'the request that registers the runtime is not over') : done(),
};

/** What a runtime was stored for, by the same request when it came again, is not abandoned. */
const giveBackRegistration = ({ clients, runtimes, database }: Services): Step<Registration> => ({
  name: 'Give_Back_Registration',
  about: 'Takes the runtime of a request that was never finished out of Director.',
  domain: 'Director',
  owner: 'Team Framefrog',
  retry: { every: seconds(30), within: days(7) },
  async run({ facts: { tenant, operationId }, signal }) {
    const { director } = clients;
    const label = { key: registrationLabel, value: operationId };
    const found = (await director?.findRuntimes(tenant, label, signal)) ?? [];
    for (const id of found)
      if (!(await runtimes.get(database.pool, id)))
        await director?.unregisterRuntime(tenant, id, signal);
    return done();
  },
});

export const abandonedRegistration = (services: Services) =>
  operation<Registration>('abandoned_registration', {
    timeLimit: days(8),
    input: ['tenant', 'operationId'],
  })
    .stage('WaitForRequest', waitForRequest)
    .stage('GiveBackRegistration', giveBackRegistration(services));
