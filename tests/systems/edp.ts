import { edpClient, edpConflict } from '#clients';
import { edp as simulated } from '../../src/landscape/edp/testing.ts';
import { contract, signal } from './contract.ts';
import { canary } from './secrets.ts';

const tenant = { name: '5f0c7f1a', environment: 'dev' };
const entry = { key: 'maasConsumerRegion', value: 'cf-eu10' };
const tenants = '/namespaces/{namespace}/dataTenants';
const removal = { missing: 'done', on: { 404: 'done' } } as const;

export const edp = contract({
  title: 'EDP',
  section: '4',
  system: 'edp',
  maker: 'edpClient',
  client: 'src/clients/edp/edp-client.ts',
  landscape: 'src/landscape/edp/edp.ts',
  test: 'src/clients/edp/edp-client.test.ts',
  simulators: [simulated],
  token: 'POST /oauth2/token',
  on: {
    200: { temporary: false, reason: 'err_edp_other' },
    400: { reason: 'err_edp_bad_request' },
    401: { reason: 'err_edp_other' },
    403: { reason: 'err_edp_other' },
    404: { reason: 'err_edp_not_found' },
    408: { reason: 'err_edp_timeout' },
    409: { reason: edpConflict },
    429: { reason: 'err_edp_other' },
    500: { reason: 'err_edp_other' },
    503: { reason: 'err_edp_other' },
  },
  malformed: { temporary: false, reason: 'err_edp_other', status: 200 },
  others: { [`GET ${tenants}/{name}/{environment}/metadata`]: 'no step reads metadata' },
  connect: ({ url }, limits) =>
    edpClient({
      ...limits,
      url: `${url}/edp`,
      authUrl: `${url}/edp`,
      namespace: 'kyma',
      secret: canary('edp', 1),
    }),
  calls(client, patient) {
    const create = () => patient.createDataTenant(tenant, canary('edp', 2), signal);
    return {
      createDataTenant: {
        endpoints: [`POST ${tenants}`],
        call: (signal) => client.createDataTenant(tenant, canary('edp', 3), signal),
        repeated: { temporary: false, reason: edpConflict },
      },
      deleteDataTenant: {
        endpoints: [`DELETE ${tenants}/{name}/{environment}`],
        prepare: create,
        call: (signal) => client.deleteDataTenant(tenant, signal),
        ...removal,
      },
      createMetadata: {
        endpoints: [`POST ${tenants}/{name}/{environment}/metadata`],
        prepare: create,
        call: (signal) => client.createMetadata(tenant, entry, signal),
        repeated: { temporary: false, reason: edpConflict },
        missing: { temporary: false, reason: 'err_edp_not_found', status: 404 },
      },
      deleteMetadata: {
        endpoints: [`DELETE ${tenants}/{name}/{environment}/metadata/{key}`],
        async prepare() {
          await create();
          await patient.createMetadata(tenant, entry, signal);
        },
        call: (signal) => client.deleteMetadata(tenant, entry.key, signal),
        ...removal,
      },
    };
  },
});
