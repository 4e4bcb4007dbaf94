import { done, type Step } from '#engine';
import type { BindingFacts } from '../binding.ts';
import type { Services } from '../services.ts';

/** Its operations stay, for those who ask how it went. */
export const removeBinding = ({ bindings, database }: Services): Step<BindingFacts> => ({
  name: 'Remove_Binding',
  about: 'Removes the binding from the database.',
  domain: 'Bindings',
  owner: 'Team Gopher',
  async run({ facts: { bindingId } }) {
    await bindings.remove(database.pool, bindingId);
    return done();
  },
});
