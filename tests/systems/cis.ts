import { cisClient, type CisVersion } from '#clients';
import { cis as simulated } from '../../src/landscape/cis/testing.ts';
import { contract } from './contract.ts';
import { canary } from './secrets.ts';

const generations: readonly (readonly [CisVersion, string])[] = [
  ['v1.0', '/public/rest/v2/events'],
  ['v2.0', '/events/v1/events/central'],
  ['v2.0-cursor', '/events/v2/events/central'],
];

/** One client for three generations of the service, a contract with each. */
export const cis = generations.map(([version, path]) =>
  contract({
    title: 'CIS',
    section: `19, ${version}`,
    system: 'cis',
    maker: 'cisClient',
    client: 'src/clients/cis/cis-client.ts',
    landscape: 'src/landscape/cis/cis.ts',
    test: 'src/clients/cis/cis-client.test.ts',
    simulators: [simulated],
    token: 'POST /oauth/token',
    on: { 201: { temporary: false }, 204: { temporary: false } },
    others: { 'POST /_landscape/events': 'a switch: what happens to subaccounts' },
    connect: ({ url }, limits) =>
      cisClient({
        ...limits,
        version,
        url: `${url}/cis`,
        authUrl: `${url}/cis/oauth/token`,
        clientId: 'kyma',
        clientSecret: canary('cis', 1),
      }),
    calls: (client) => ({
      deletedSubaccounts: {
        endpoints: [`GET ${path}`],
        call: (signal) => client.deletedSubaccounts(undefined, signal),
      },
    }),
  }),
);
