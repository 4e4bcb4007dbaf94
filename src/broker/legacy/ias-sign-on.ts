import { done, skip, type Step } from '#engine';
import { minutes, seconds } from '#time';
import type { Services } from '../services.ts';
import { theInstance } from '../steps/the-instance.ts';
import { providersOf } from './ias-registration.ts';

/** Nobody's order fails because of it: people can be let in later, too. */
export const iasSignOn = (services: Services): Step => ({
  name: 'IAS_Sign_On',
  about: 'Tells IAS where a login returns to, now that the runtime has its addresses.',
  domain: 'Identity Authentication Service',
  owner: 'Team Gopher',
  retry: { every: seconds(10), upTo: seconds(10), within: minutes(10), otherwise: 'go on' },
  async run(context) {
    const { ias } = services.clients;
    if (!ias) return skip('IAS is switched off');
    const { operation, signal } = context;
    const { shootDomain } = await theInstance(services, { operation });
    for (const { kind, provider } of await providersOf(ias, context)) {
      const host = `${kind.domain.toLowerCase()}.${shootDomain}`;
      if (provider) await ias.setSignOn(provider.id, kind, host, signal);
    }
    return done();
  },
});
