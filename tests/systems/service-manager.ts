import { serviceManagerClient } from '#clients';
import { minutes } from '#time';
import { serviceManager as simulated } from '../../src/landscape/service-manager/testing.ts';
import { contract, signal } from './contract.ts';
import { canary } from './secrets.ts';

const instance = {
  id: 'instance-1',
  service: {
    brokerId: 'broker-security',
    serviceId: 'catalog-security-xsuaa',
    planId: 'catalog-security-xsuaa-application',
  },
};
const secret = { password: canary('service-manager', 2) };
const path = '/v1/osb/{brokerId}/v2/service_instances/{instanceId}';
const permanent = { temporary: false } as const;
const gone = { on: { 410: 'done' }, missing: 'done' } as const;

export const serviceManager = contract({
  title: 'Service Manager',
  section: '8',
  system: 'service-manager',
  maker: 'serviceManagerClient',
  client: 'src/clients/service-manager/service-manager-client.ts',
  landscape: 'src/landscape/service-manager/service-manager.ts',
  test: 'src/clients/service-manager/service-manager-client.test.ts',
  simulators: [simulated],
  on: { 302: permanent, 410: permanent, 500: permanent, 501: { temporary: true } },
  malformed: { temporary: false, reason: 'wrong_answer' },
  connect: ({ url }, limits) =>
    serviceManagerClient({
      ...limits,
      url: `${url}/service-manager`,
      username: 'broker',
      password: canary('service-manager', 1),
    }),
  calls(client, patient, { time }) {
    const prepare = async () => {
      await patient.provision(instance, {}, signal);
      time.advance(minutes(1));
    };
    return {
      findService: {
        endpoints: ['GET /v1/service_offerings', 'GET /v1/service_plans'],
        call: (signal) => client.findService('xsuaa', 'application', signal),
      },
      provision: {
        endpoints: [`PUT ${path}`],
        call: (signal) => client.provision(instance, secret, signal),
      },
      lastOperation: {
        endpoints: [`GET ${path}/last_operation`],
        prepare,
        call: (signal) => client.lastOperation(instance, undefined, signal),
        on: { 410: 'done' },
        missing: { temporary: false, status: 404 },
      },
      bind: {
        endpoints: [`PUT ${path}/service_bindings/{bindingId}`],
        prepare,
        call: (signal) => client.bind(instance, 'binding-1', secret, signal),
        missing: { temporary: false, status: 404 },
      },
      unbind: {
        endpoints: [`DELETE ${path}/service_bindings/{bindingId}`],
        async prepare() {
          await prepare();
          await patient.bind(instance, 'binding-1', secret, signal);
        },
        call: (signal) => client.unbind(instance, 'binding-1', signal),
        ...gone,
      },
      deprovision: {
        endpoints: [`DELETE ${path}`],
        prepare,
        call: (signal) => client.deprovision(instance, signal),
        ...gone,
      },
    };
  },
});
