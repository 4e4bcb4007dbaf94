import { azureClient, type AzurePoll } from '#clients';
import { minutes } from '#time';
import { azure as simulated } from '../../src/landscape/azure/testing.ts';
import { contract, signal } from './contract.ts';
import { canary } from './secrets.ts';

const resource = { name: 'k5f0c7f1a', location: 'westeurope', tags: { InstanceID: '5F0C7F1A' } };
const sub = '/subscriptions/{subscription}';
const groups = `${sub}/resourcegroups`;
const namespaces = `${sub}/resourceGroups/{group}/providers/Microsoft.EventHub/namespaces`;
const passing = (status: number, code: string) => ({
  status,
  body: { error: { code, message: canary('azure', 9) } },
  gives: { temporary: true, reason: code, status },
});
const noGroup = { temporary: true, reason: 'ResourceGroupNotFound', status: 404 } as const;

export const azure = contract({
  title: 'Azure ARM',
  section: '7',
  system: 'azure',
  maker: 'azureClient',
  client: 'src/clients/azure/azure-subscription.ts',
  landscape: 'src/landscape/azure/routes.ts',
  test: 'src/clients/azure/azure-subscription.test.ts',
  simulators: [simulated],
  token: 'POST /{tenant}/oauth2/token',
  answers: {
    'a group that is being deleted': passing(409, 'ResourceGroupBeingDeleted'),
    'throttling, in the words of Azure': passing(429, 'TooManyRequests'),
  },
  connect: ({ url }, limits) =>
    azureClient({
      ...limits,
      loginUrl: `${url}/azure`,
      managementUrl: `${url}/azure`,
    }).subscription({
      tenantId: 'tenant-1',
      subscriptionId: 'subscription-1',
      clientId: 'client-1',
      clientSecret: canary('azure', 1),
    }),
  calls(client, patient, { url, time }) {
    const at = (kind: AzurePoll['kind'], path: string): AzurePoll => ({
      kind,
      url: `${url}/azure/subscriptions/subscription-1/${path}?api-version=2017-04-01`,
    });
    let poll: AzurePoll = at('operation', 'operations/none');
    const putGroup = () => patient.putGroup(resource, signal);
    const putNamespace = async () => {
      await putGroup();
      const begun = await patient.putNamespace(resource.name, resource, signal);
      if (begun.kind === 'running') poll = begun.next;
    };
    return {
      putGroup: {
        endpoints: [`PUT ${groups}/{group}`],
        call: (signal) => client.putGroup(resource, signal),
      },
      findGroups: {
        endpoints: [`GET ${groups}`],
        prepare: putGroup,
        call: (signal) => client.findGroups({ name: 'InstanceID', value: '5F0C7F1A' }, signal),
        missing: 'done',
      },
      allGroups: {
        endpoints: [`GET ${groups}`],
        prepare: putGroup,
        call: (signal) => client.allGroups(signal),
        missing: 'done',
      },
      deleteGroup: {
        endpoints: [`DELETE ${groups}/{group}`],
        prepare: putGroup,
        call: (signal) => client.deleteGroup(resource.name, signal),
        on: { 404: 'done' },
        malformed: 'done',
        missing: 'done',
      },
      putNamespace: {
        endpoints: [`PUT ${namespaces}/{namespace}`],
        prepare: putGroup,
        call: (signal) => client.putNamespace(resource.name, resource, signal),
        missing: noGroup,
        // A body is not needed, but without an operation in the headers the namespace itself is asked, which is not there.
        malformed: { temporary: true, reason: 'ResourceNotFound' },
      },
      'putNamespace (of one that is ready)': {
        endpoints: [`PUT ${namespaces}/{namespace}`, `GET ${namespaces}/{namespace}`],
        async prepare() {
          await putNamespace();
          time.advance(minutes(4));
        },
        call: (signal) => client.putNamespace(resource.name, resource, signal),
        at: { [`PUT ${namespaces}/{namespace}`]: { malformed: 'done' } },
      },
      'progress (operation)': {
        endpoints: [`GET ${sub}/operations/{id}`],
        prepare: putNamespace,
        call: (signal) => client.progress(poll, signal),
        missing: { temporary: false, reason: 'OperationNotFound', status: 404 },
      },
      'progress (location)': {
        endpoints: [`GET ${sub}/operationresults/{id}`],
        async prepare() {
          await putNamespace();
          const again = await patient.putNamespace(resource.name, resource, signal);
          if (again.kind === 'running') poll = again.next;
        },
        call: (signal) => client.progress(poll, signal),
        malformed: 'done',
      },
      'progress (resource)': {
        endpoints: [`GET ${namespaces}/{namespace}`],
        prepare: putNamespace,
        call: (signal) =>
          client.progress(
            at(
              'resource',
              `resourceGroups/${resource.name}/providers/Microsoft.EventHub/namespaces/${resource.name}`,
            ),
            signal,
          ),
        missing: noGroup,
      },
      connectionString: {
        endpoints: [
          `POST ${namespaces}/{namespace}/AuthorizationRules/RootManageSharedAccessKey/listKeys`,
        ],
        async prepare() {
          await putNamespace();
          time.advance(minutes(4));
        },
        call: (signal) => client.connectionString(resource.name, resource.name, signal),
        missing: noGroup,
      },
    };
  },
});
