import {
  serviceProviderKinds,
  serviceProviderName,
  type IasClient,
  type ServiceProvider,
} from '#clients';
import { Secret } from '#database';
import { done, skip, wait, type Step, type StepContext } from '#engine';
import { minutes, seconds } from '#time';
import type { Services } from '../services.ts';
import { mayAskIas } from './ask-ias.ts';

export type IasRegistered = {
  /** JSON of IasClientSecret: with it Grafana logs people in. Made once, so that what the runtime is told stays valid. */
  readonly iasClient?: Secret;
};

export const iasRegistration = (services: Services): Step<IasRegistered, IasRegistered> => ({
  name: 'IAS_Registration',
  about: 'Registers Grafana and Dex of the runtime in IAS, with a client secret for Grafana.',
  domain: 'Identity Authentication Service',
  owner: 'Team Gopher',
  gives: ['iasClient'],
  retry: { every: seconds(10), upTo: minutes(2), within: minutes(30) },
  async run(context) {
    const { ias } = services.clients;
    if (!ias) return skip('IAS is switched off');
    if (context.facts.iasClient) return done();
    const { signal } = context;
    const found = await providersOf(ias, context);
    const missing = found.filter(({ provider }) => !provider);
    let isNew = false;
    for (const { name } of missing) {
      if (!(await mayAskIas(services, context, name))) continue;
      await ias.createServiceProvider(name, signal);
      isNew = true;
    }
    if (missing.length > 0) {
      const names = missing.map(({ name }) => name).join(', ');
      const pause = isNew ? seconds(10) : minutes(2);
      return wait(pause, `not visible yet: ${names}`, 'ias');
    }
    for (const { kind, provider } of found)
      if (provider) await ias.configureServiceProvider(provider, kind, signal);
    const grafana = found.find(({ kind }) => kind.signOn === 'openIdConnect')?.provider;
    if (!grafana) throw new Error('no service provider has a client secret');
    const client = await ias.generateSecret(grafana, signal);
    return done({ iasClient: new Secret(JSON.stringify(client)) });
  },
});

/** All that the instance has or shall have; those that are not visible without a provider. */
export function providersOf(
  ias: IasClient,
  { operation, signal }: Pick<StepContext<object>, 'operation' | 'signal'>,
): Promise<readonly NamedProvider[]> {
  const find = async (kind: Kind) => {
    const name = serviceProviderName(kind, operation.subject);
    return { kind, name, provider: await ias.findServiceProvider(name, signal) };
  };
  return Promise.all(Object.values(serviceProviderKinds).map(find));
}

type Kind = (typeof serviceProviderKinds)[keyof typeof serviceProviderKinds];
export type NamedProvider = {
  readonly kind: Kind;
  readonly name: string;
  readonly provider: ServiceProvider | undefined;
};
