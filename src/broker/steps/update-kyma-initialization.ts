import { done, finish, type Step } from '#engine';
import { isSuspended } from '../instance.ts';
import { putIntoForce } from '../put-into-force.ts';
import type { Services } from '../services.ts';
import { orderFacts } from '../start-provisioning.ts';
import { changesNothing, withChanges, type WantedChanges } from '../wanted-changes.ts';
import type { Order } from './conditions.ts';
import { theInstance } from './the-instance.ts';

/** What an update knows from its start. */
export type Update = { readonly wanted: WantedChanges };

/** How an update ends that changed nothing. It is stored, and counted by: other words would lose those before. */
export const nothingChanges = 'the instance has all that was asked for already: nothing changes';

/** The engine has let it wait for its turn, and a good deal may have happened since: then there may be nothing left to do. */
export const updateKymaInitialization = (services: Services): Step<Update, Order> => ({
  name: 'Update_Kyma_Initialization',
  about:
    'Begins once no other operation runs on the instance, if there is still something to change.',
  domain: 'Update',
  owner: 'Team Gopher',
  gives: ['plan', 'hasBtpCredentials'],
  async run({ operation, facts: { wanted } }) {
    const instance = await theInstance(services, { operation });
    if (instance.expiredAt)
      return finish('the instance has expired: nothing of it changes any more');
    if (isSuspended(instance)) {
      await putIntoForce(services, instance.id, wanted);
      return finish('the instance is suspended: its next runtime gets what was asked for');
    }
    if (changesNothing(instance, wanted)) return finish(nothingChanges);
    const { planName, context } = withChanges(instance, wanted);
    return done(orderFacts(planName, context));
  },
});
