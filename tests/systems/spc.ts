import { spcClient } from '#clients';
import { spc as simulated } from '../../src/landscape/spc/testing.ts';
import { contract, signal } from './contract.ts';

const start = new Date('2023-09-01T20:00:00Z');
const told = [{ instanceId: '1111', start }];
const working = [{ instanceId: '1111', start, state: 'under maintenance' }] as const;
const noSuch = { temporary: false, status: 404 } as const;

export const spc = contract({
  title: 'SPC notification',
  section: '18',
  system: 'spc',
  maker: 'spcClient',
  client: 'src/clients/spc/spc-client.ts',
  landscape: 'src/landscape/spc/spc.ts',
  test: 'src/clients/spc/spc-client.test.ts',
  simulators: [simulated],
  on: { 202: { temporary: false } },
  malformed: 'done',
  connect: ({ url }, limits) => spcClient({ ...limits, url: `${url}/spc` }),
  calls(client, patient) {
    const prepare = () => patient.createMaintenanceEvent('o-1', 'kyma', told, signal);
    return {
      createMaintenanceEvent: {
        endpoints: ['POST /createMaintenanceEvent'],
        call: (signal) => client.createMaintenanceEvent('o-1', 'kyma', told, signal),
        repeated: 'second',
      },
      updateMaintenanceEvent: {
        endpoints: ['PATCH /updateMaintenanceEvent'],
        prepare,
        call: (signal) => client.updateMaintenanceEvent('o-1', working, signal),
        missing: noSuch,
      },
      cancelMaintenanceEvent: {
        endpoints: ['PATCH /cancelMaintenanceEvent'],
        prepare,
        call: (signal) => client.cancelMaintenanceEvent('o-1', signal),
        missing: noSuch,
      },
    };
  },
});
