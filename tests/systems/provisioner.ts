import { provisionerClient, provisionerNotFound } from '#clients';
import { hours } from '#time';
import { demo, kymaConfig as withSecret } from '../../src/clients/provisioner/testing.ts';
import { provisioner as simulated } from '../../src/landscape/provisioner/testing.ts';
import { contract, signal, type Answer, type Outcome } from './contract.ts';
import { gateways, refused } from './graphql.ts';
import { canary } from './secrets.ts';

const tenant = 'ga-1';
const as = (operationId: string) => ({ tenant, subaccount: 'sa-1', operationId });
const input = { ...demo, kymaConfig: withSecret };
const field = (name: string) => [`POST /graphql ${name}`];
const notFound = { temporary: false, reason: provisionerNotFound } as const;

const code = (error_code: number, error_reason: string, gives: Outcome): [string, Answer] => [
  `error code ${error_code}`,
  refused({ error_code, error_reason, error_component: 'provisioner' }, gives),
];

export const provisioner = contract({
  title: 'Provisioner',
  section: '11',
  system: 'provisioner',
  maker: 'provisionerClient',
  client: 'src/clients/provisioner/provisioner-client.ts',
  landscape: 'src/landscape/provisioner/provisioner.ts',
  test: 'src/clients/provisioner/provisioner-client.test.ts',
  simulators: [simulated],
  ...gateways,
  answers: {
    ...Object.fromEntries([
      code(1, 'err_db_internal', { temporary: true, reason: 'err_db_internal' }),
      code(2, provisionerNotFound, notFound),
      code(3, 'err_db_already_exists', { temporary: true, reason: 'err_db_already_exists' }),
      code(400, 'err_provisioner_internal', { temporary: false }),
      code(403, 'err_provisioner_internal', { temporary: false }),
      code(500, 'err_provisioner_internal', { temporary: true }),
      code(502, 'Unauthorized', { temporary: true, reason: 'Unauthorized' }),
    ]),
    'an error without a code': refused({}, { temporary: true }),
  },
  others: {
    'GET /healthz': 'for probes',
    'PUT /operations/{id}': 'a switch: how an operation ends',
    'PUT /runtimes/{id}/kubeconfig': 'a switch: a kubeconfig that is missing or too short',
  },
  connect: ({ url }, limits) => provisionerClient({ ...limits, url: `${url}/provisioner/graphql` }),
  calls(client, patient, { time }) {
    let runtimeId = '00000000-0000-4000-8000-000000000000';
    let operationId = runtimeId;
    const prepare = async () => {
      const begun = await patient.provisionRuntime(as('provisioning'), input, signal);
      ({ runtimeID: runtimeId, id: operationId } = begun);
      time.advance(hours(1));
    };
    // What holds secrets is not quoted, even if the provisioner does.
    const withheld = {
      'an error that repeats a secret': refused(
        { error_code: 400 },
        { temporary: false },
        `what is ${canary('provisioner', 1)}?`,
      ),
    };
    return {
      provisionRuntime: {
        endpoints: field('provisionRuntime'),
        call: (signal) => client.provisionRuntime(as('operation-1'), input, signal),
        answers: withheld,
      },
      upgradeRuntime: {
        endpoints: field('upgradeRuntime'),
        prepare,
        call: (signal) => client.upgradeRuntime(as('operation-1'), runtimeId, withSecret, signal),
        answers: withheld,
        // Of what it does not know it says that the Reconciler has it.
        missing: { temporary: true, reason: 'err_provisioner_internal' },
      },
      upgradeShoot: {
        endpoints: field('upgradeShoot'),
        prepare,
        call: (signal) =>
          client.upgradeShoot(
            as('operation-1'),
            runtimeId,
            { gardenerConfig: { autoScalerMax: 30 }, administrators: [] },
            signal,
          ),
        missing: notFound,
      },
      deprovisionRuntime: {
        endpoints: field('deprovisionRuntime'),
        prepare,
        call: (signal) => client.deprovisionRuntime(as('operation-1'), runtimeId, signal),
        missing: notFound,
      },
      reconnectRuntimeAgent: {
        endpoints: field('reconnectRuntimeAgent'),
        prepare,
        call: (signal) => client.reconnectRuntimeAgent(as('operation-1'), runtimeId, signal),
        missing: 'nothing',
      },
      runtimeOperationStatus: {
        endpoints: field('runtimeOperationStatus'),
        prepare,
        call: (signal) => client.runtimeOperationStatus(tenant, operationId, signal),
        missing: notFound,
      },
      runtimeStatus: {
        endpoints: field('runtimeStatus'),
        prepare,
        call: (signal) => client.runtimeStatus(tenant, runtimeId, signal),
        missing: notFound,
      },
    };
  },
});
