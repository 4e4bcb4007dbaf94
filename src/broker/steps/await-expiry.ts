import { done, finish, wait, type Step } from '#engine';
import type { BindingFacts } from '../binding.ts';
import type { Services } from '../services.ts';

/** Waits behind the operation that makes the binding, and then for as long as the credentials are good. */
export const awaitExpiry = ({ bindings, database }: Services): Step<BindingFacts> => ({
  name: 'Await_Expiry',
  about: 'Waits until the time of the credentials is over.',
  domain: 'Bindings',
  owner: 'Team Gopher',
  async run({ facts: { bindingId } }) {
    const left = await bindings.timeLeft(database.pool, bindingId);
    if (left === undefined) return finish('there are no credentials that could expire');
    return left > 0 ? wait(Math.ceil(left), 'the credentials are still good') : done();
  },
});
