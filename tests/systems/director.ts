import { directorClient, directorLabelsClient } from '#clients';
import { minutes } from '#time';
import { director as simulated } from '../../src/landscape/director/testing.ts';
import { contract, signal, type Answer, type Limits, type Outcome } from './contract.ts';
import { gateways, refused } from './graphql.ts';
import { canary } from './secrets.ts';

const tenant = 'ga-1';
const label = { key: 'broker_instance_id', value: '1111' };
const runtime = { name: 'demo', description: 'd', labels: { [label.key]: label.value } };
const field = (name: string) => [`POST /graphql ${name}`];
const unknownId = '00000000-0000-4000-8000-000000000000';

const codes: readonly (readonly [code: number, name: string, temporary: boolean])[] = [
  [10, 'InternalError', true],
  [11, 'UnknownError', true],
  [20, 'NotFound', false],
  [21, 'NotUnique', false],
  [22, 'InvalidData', false],
  [23, 'InsufficientScopes', true],
  [24, 'TenantRequired', false],
  [25, 'TenantNotFound', false],
  [26, 'Unauthorized', true],
  [27, 'InvalidOperation', false],
  [32, 'ConcurrentOperation', true],
];
const answersFor = (outcomeOf: (code: number, reason: string, temporary: boolean) => Outcome) =>
  Object.fromEntries(
    codes.map(([error_code, error, temporary]): [string, Answer] => [
      `error code ${error_code}`,
      refused({ error_code, error }, outcomeOf(error_code, error, temporary)),
    ]),
  );
const nothing = {
  status: 200,
  body: { data: { result: null } },
  gives: { temporary: true, reason: 'err_director_nil_response' },
};
const anotherRuntime = {
  status: 200,
  body: { data: { result: { id: 'another', name: 'demo', labels: {} } } },
  gives: { temporary: true, reason: 'err_director_runtime_id_mismatch' },
};

const settings = (url: string, limits: Limits) => ({
  ...limits,
  url: `${url}/director/graphql`,
  tokenUrl: `${url}/director/oauth2/token`,
  clientId: 'kyma',
  clientSecret: canary('director', 1),
});
const facts = {
  title: 'Director',
  system: 'director',
  landscape: 'src/landscape/director/director.ts',
  simulators: [simulated],
  token: 'POST /oauth2/token',
  tokenRefused: { temporary: true },
  others: { 'POST /connector/graphql': 'asked by the simulated agents in the runtimes' },
  ...gateways,
} as const;

/** As the provisioner calls it. */
export const director = contract({
  ...facts,
  section: '10, provisioner',
  maker: 'directorClient',
  client: 'src/clients/director/director-client.ts',
  test: 'src/clients/director/director-client.test.ts',
  answers: {
    ...answersFor((_code, reason, temporary) => ({ temporary, reason })),
    'a null result': nothing,
  },
  connect: ({ url }, limits) => directorClient(settings(url, limits)),
  calls(client, patient) {
    let id = unknownId;
    const prepare = async () => {
      id = await patient.registerRuntime(tenant, runtime, signal);
    };
    return {
      registerRuntime: {
        endpoints: field('registerRuntime'),
        call: (signal) => client.registerRuntime(tenant, runtime, signal),
        repeated: 'second',
      },
      findRuntimes: {
        endpoints: field('runtimes'),
        prepare,
        call: (signal) => client.findRuntimes(tenant, label, signal),
        missing: 'done',
      },
      runtime: {
        endpoints: field('runtime'),
        prepare,
        call: (signal) => client.runtime(tenant, id, signal),
        missing: 'nothing',
        answers: {
          'a null result': { ...nothing, gives: 'nothing' },
          'another runtime': anotherRuntime,
        },
      },
      updateRuntime: {
        endpoints: field('updateRuntime'),
        prepare,
        call: (signal) =>
          client.updateRuntime(tenant, id, { ...runtime, condition: 'PROVISIONING' }, signal),
        missing: { temporary: false, reason: 'NotFound' },
        answers: { 'another runtime': anotherRuntime },
      },
      unregisterRuntime: {
        endpoints: field('unregisterRuntime'),
        prepare,
        call: (signal) => client.unregisterRuntime(tenant, id, signal),
        missing: 'done',
        answers: {
          ...answersFor((code, reason, temporary) =>
            [20, 24, 25].includes(code) ? 'done' : { temporary, reason },
          ),
          'another runtime': anotherRuntime,
        },
      },
      requestOneTimeToken: {
        endpoints: field('requestOneTimeTokenForRuntime'),
        prepare,
        call: (signal) => client.requestOneTimeToken(tenant, id, signal),
        // Each token is a fresh one; those that were given before stay good for their time.
        repeated: 'second',
        missing: { temporary: false, reason: 'NotFound' },
      },
    };
  },
});

/** As the broker of old calls it: no refusal is final. */
export const directorLabels = contract({
  ...facts,
  section: '10, broker',
  maker: 'directorLabelsClient',
  client: 'src/clients/director/director-labels-client.ts',
  test: 'src/clients/director/director-labels-client.test.ts',
  answers: {
    ...answersFor((_code, reason) => ({ temporary: true, reason })),
    'a null result': nothing,
  },
  connect: ({ url }, limits) => directorLabelsClient(settings(url, limits)),
  calls(client, _patient, { url, time }) {
    const provisioner = directorClient(settings(url, {}));
    let id = unknownId;
    const prepare = async () => {
      id = await provisioner.registerRuntime(tenant, runtime, signal);
      await provisioner.requestOneTimeToken(tenant, id, signal);
      time.advance(minutes(2));
    };
    return {
      consoleUrl: {
        endpoints: field('runtime'),
        prepare,
        call: (signal) => client.consoleUrl(tenant, id, signal),
        missing: { temporary: true, reason: 'err_director_nil_response' },
      },
      setLabel: {
        endpoints: field('setRuntimeLabel'),
        prepare,
        call: (signal) =>
          client.setLabel(tenant, id, { key: 'operator_lmsUrl', value: 'x' }, signal),
        missing: { temporary: true, reason: 'NotFound' },
      },
      findRuntimes: {
        endpoints: field('runtimes'),
        prepare,
        call: (signal) => client.findRuntimes(tenant, label, signal),
        missing: 'done',
      },
    };
  },
});
