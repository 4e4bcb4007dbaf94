import {
  iasClient,
  serviceProviderKinds,
  serviceProviderName,
  type ServiceProvider,
} from '#clients';
import { iasWith } from '../../src/landscape/ias/testing.ts';
import { contract, signal } from './contract.ts';
import { canary } from './secrets.ts';

const kind = serviceProviderKinds.grafana;
const name = serviceProviderName(kind, '1111');
const company = 'GET /service/company/{companyId}';
const sps = '/service/sps';
const unread = { malformed: 'done' } as const;
const noSuch = { temporary: false, status: 404 } as const;
const removal = { on: { 404: 'done' }, malformed: 'done' } as const;

export const ias = contract({
  title: 'IAS',
  section: '5',
  system: 'ias',
  maker: 'iasClient',
  client: 'src/clients/ias/ias-client.ts',
  landscape: 'src/landscape/ias/ias.ts',
  test: 'src/clients/ias/ias-client.test.ts',
  simulators: [iasWith({ visibleAfter: 0 })],
  on: { 202: { temporary: false } },
  connect: ({ url }, limits) =>
    iasClient({
      ...limits,
      url: `${url}/ias`,
      userId: 'broker',
      userSecret: canary('ias', 1),
      identityProvider: 'https://idp.example.com',
    }),
  calls(client, patient) {
    let provider: ServiceProvider = {
      id: 'nobody',
      assertionAttributes: [],
      secretIds: ['secret-1'],
      userForRest: canary('ias', 2),
      identityProviderId: '5e46ad8cc92edc106b93893b',
    };
    const prepare = async () => {
      await patient.createServiceProvider(name, signal);
      provider = (await patient.findServiceProvider(name, signal)) ?? provider;
    };
    return {
      findServiceProvider: {
        endpoints: [company],
        prepare,
        call: (signal) => client.findServiceProvider(name, signal),
        missing: 'nothing',
      },
      createServiceProvider: {
        endpoints: [`POST ${sps}`],
        call: (signal) => client.createServiceProvider(name, signal),
        repeated: 'second',
        ...unread,
      },
      configureServiceProvider: {
        endpoints: [`PUT ${sps}/{spID}`, `PUT ${sps}`, `PUT ${sps}/{spID}/rba`],
        prepare,
        call: (signal) => client.configureServiceProvider(provider, kind, signal),
        missing: noSuch,
        ...unread,
      },
      setSignOn: {
        endpoints: [`PUT ${sps}/{spID}`],
        prepare,
        call: (signal) => client.setSignOn(provider.id, kind, 'grafana.example.com', signal),
        missing: noSuch,
        ...unread,
      },
      generateSecret: {
        endpoints: [`DELETE ${sps}/clientSecret`, `PUT ${sps}`],
        async prepare() {
          await prepare();
          await patient.generateSecret(provider, signal);
          provider = (await patient.findServiceProvider(name, signal)) ?? provider;
        },
        call: (signal) => client.generateSecret(provider, signal),
        missing: noSuch,
        at: { [`DELETE ${sps}/clientSecret`]: removal, [`PUT ${sps}`]: { repeated: 'second' } },
      },
      deleteServiceProvider: {
        endpoints: [company, `PUT ${sps}/delete`],
        prepare,
        call: (signal) => client.deleteServiceProvider(name, signal),
        missing: 'done',
        at: { [`PUT ${sps}/delete`]: removal },
      },
    };
  },
});
