import { certificateRequest, lmsClient } from '#clients';
import { minutes } from '#time';
import { lms as simulated } from '../../src/landscape/lms/testing.ts';
import { contract, signal } from './contract.ts';
import { canary } from './secrets.ts';

const wanted = { name: 'ga1', region: 'eu' };
const { csr } = await certificateRequest('ga-1');
const noSuch = { temporary: false, status: 404 } as const;
const notYet = { missing: 'nothing', on: { 404: 'nothing' } } as const;
const permanent = { temporary: false } as const;

export const lms = contract({
  title: 'LMS',
  section: '6',
  system: 'lms',
  maker: 'lmsClient',
  client: 'src/clients/lms/lms-client.ts',
  landscape: 'src/landscape/lms/lms.ts',
  test: 'src/clients/lms/lms-client.test.ts',
  simulators: [simulated],
  on: { 408: permanent, 429: permanent, 500: permanent, 503: permanent },
  connect: ({ url }, limits) =>
    lmsClient({
      ...limits,
      url: `${url}/lms`,
      token: canary('lms', 1),
      clusterType: 'single-node',
      environment: 'dev',
      samlTenant: 'saml.example.com',
    }),
  calls(client, patient, { url, time }) {
    let id = 'nobody';
    let callback = `${url}/lms/tenants/nobody/certs/0`;
    const prepare = async () => {
      id = await patient.createTenant(wanted, signal);
      time.advance(minutes(6));
    };
    return {
      createTenant: {
        endpoints: ['POST /tenants'],
        call: (signal) => client.createTenant(wanted, signal),
        repeated: 'second',
      },
      tenantStatus: {
        endpoints: ['GET /tenants/{id}/status'],
        prepare,
        call: (signal) => client.tenantStatus(id, signal),
        missing: noSuch,
      },
      tenantDns: {
        endpoints: ['GET /tenants/{id}'],
        prepare,
        call: (signal) => client.tenantDns(id, signal),
        missing: noSuch,
      },
      requestCertificate: {
        endpoints: ['POST /tenants/{id}/certs'],
        prepare,
        call: (signal) => client.requestCertificate(id, csr, signal),
        repeated: 'second',
        missing: noSuch,
      },
      certificate: {
        endpoints: ['GET /tenants/{id}/certs/{number}'],
        async prepare() {
          await prepare();
          callback = await patient.requestCertificate(id, csr, signal);
          time.advance(minutes(2));
        },
        call: (signal) => client.certificate(callback, signal),
        ...notYet,
      },
      caCertificate: {
        endpoints: ['GET /tenants/{id}/certs/ca'],
        prepare,
        call: (signal) => client.caCertificate(id, signal),
        ...notYet,
      },
    };
  },
});
