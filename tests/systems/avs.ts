import { avsClient, type NewEvaluation } from '#clients';
import { avs as simulated } from '../../src/landscape/avs/testing.ts';
import { contract, signal } from './contract.ts';
import { canary } from './secrets.ts';

const wanted: NewEvaluation = {
  name: 'K8S-AZR-Kyma-int-1111-demo',
  description: '{}',
  testerAccessId: 40,
  groupId: 41,
  parentId: 42,
  tags: [],
};
const tag = { content: 'c-1a2b3c4', classId: 7, className: '' };
const base = '/api/v2/evaluationmetadata';
const noSuch = { temporary: false, status: 404 } as const;

export const avs = contract({
  title: 'AvS',
  section: '3',
  system: 'avs',
  maker: 'avsClient',
  client: 'src/clients/avs/avs-client.ts',
  landscape: 'src/landscape/avs/avs.ts',
  test: 'src/clients/avs/avs-client.test.ts',
  simulators: [simulated],
  token: 'POST /oauth/token',
  tokenRefused: { temporary: true },
  on: { 204: { temporary: false } },
  connect: ({ url }, limits) =>
    avsClient({
      ...limits,
      url: `${url}/avs${base}`,
      tokenUrl: `${url}/avs/oauth/token`,
      clientId: 'kyma',
      username: 'broker',
      password: canary('avs', 1),
    }),
  calls(client, patient) {
    let id = '1';
    const prepare = async () => void ({ id } = await patient.createEvaluation(wanted, signal));
    return {
      createEvaluation: {
        endpoints: [`POST ${base}`],
        call: (signal) => client.createEvaluation(wanted, signal),
        repeated: 'second',
      },
      getEvaluation: {
        endpoints: [`GET ${base}/{id}`],
        prepare,
        call: (signal) => client.getEvaluation(id, signal),
        missing: noSuch,
      },
      addTag: {
        endpoints: [`POST ${base}/{id}/tag`],
        prepare,
        call: (signal) => client.addTag(id, tag, signal),
        repeated: 'second',
        missing: noSuch,
      },
      setLifecycle: {
        endpoints: [`PUT ${base}/{id}/lifecycle`],
        prepare,
        call: (signal) => client.setLifecycle(id, 'MAINTENANCE', signal),
        missing: noSuch,
      },
      removeEvaluation: {
        endpoints: [`DELETE ${base}/{parentId}/child/{id}`, `DELETE ${base}/{id}`],
        prepare,
        call: (signal) => client.removeEvaluation(id, wanted.parentId, signal),
        missing: 'done',
        malformed: 'done',
        on: { 404: 'done' },
        at: {
          [`DELETE ${base}/{parentId}/child/{id}`]: {
            answers: {
              'the sheet, 3.5: it is no child': {
                status: 400,
                body: { message: 'Evaluation 40 DOES NOT contain subevaluation 987' },
                gives: 'done',
              },
            },
          },
        },
      },
    };
  },
});
