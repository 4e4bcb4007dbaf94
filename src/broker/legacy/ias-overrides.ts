import type { IasClientSecret } from '#clients';
import { done, skip, type Step } from '#engine';
import type { Services } from '../services.ts';
import { theInstance } from '../steps/the-instance.ts';
import { theOverrides } from '../steps/the-overrides.ts';
import type { IasRegistered } from './ias-registration.ts';

const variable = 'grafana.env.GF_AUTH_GENERIC_OAUTH_CLIENT';

export const iasOverrides = (services: Services): Step<IasRegistered> => ({
  name: 'IAS_Overrides',
  about: 'Tells Grafana with which client secret it logs people in.',
  domain: 'Identity Authentication Service',
  owner: 'Team Gopher',
  needs: ['iasClient'],
  async run({ operation, facts: { iasClient }, memory }) {
    if (!iasClient) return skip('the runtime is not registered in IAS');
    const { clientId, clientSecret } = JSON.parse(iasClient.reveal()) as IasClientSecret; // as IAS_Registration has sealed it
    const instance = await theInstance(services, { operation });
    theOverrides(memory, instance).appendOverrides('monitoring', [
      { key: `${variable}_ID`, value: clientId, secret: true },
      { key: `${variable}_SECRET`, value: clientSecret, secret: true },
    ]);
    return done();
  },
});
