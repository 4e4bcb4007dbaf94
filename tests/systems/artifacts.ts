import { artifactsClient } from '#clients';
import { artifacts as simulated } from '../../src/landscape/artifacts/testing.ts';
import { contract } from './contract.ts';

const release = '1.11.0';
const development = 'PR-1234';
const installer = '{version}/kyma-installer-cluster.yaml';
const tiller = '{version}/tiller.yaml';
const components = '{version}/kyma-components.yaml';

export const artifacts = contract({
  title: 'Kyma release artifacts',
  section: '16',
  system: 'artifacts',
  maker: 'artifactsClient',
  client: 'src/clients/artifacts/artifacts-client.ts',
  landscape: 'src/landscape/artifacts/artifacts.ts',
  test: 'src/clients/artifacts/artifacts-client.test.ts',
  simulators: [simulated],
  on: { 202: { temporary: false }, 204: { temporary: false } },
  others: { 'PUT /versions/{version}': 'a switch: another version, or one with malformed files' },
  connect: ({ url }, limits) =>
    artifactsClient({
      ...limits,
      releasesUrl: `${url}/artifacts/releases`,
      componentsUrl: `${url}/artifacts/components`,
      developmentUrl: `${url}/artifacts/development`,
    }),
  calls(client) {
    // Until it is prepared, a version that was never released.
    let version = '0.0.1';
    const prepare = async () => {
      version = release;
    };
    return {
      installerYaml: {
        endpoints: [`GET /releases/${installer}`],
        prepare,
        call: (signal) => client.installerYaml(version, signal),
        missing: { temporary: false, status: 404 },
      },
      'installerYaml (of a version in development)': {
        endpoints: [`GET /development/${installer}`],
        call: (signal) => client.installerYaml(development, signal),
      },
      tillerYaml: {
        endpoints: [`GET /releases/${tiller}`],
        prepare,
        call: (signal) => client.tillerYaml(version, signal),
        on: { 404: 'nothing' },
        missing: 'nothing',
      },
      components: {
        endpoints: [`GET /components/${components}`, `GET /releases/${components}`],
        prepare,
        call: (signal) => client.components(version, signal),
        missing: { temporary: false, status: 404 },
      },
      'components (of a version in development)': {
        endpoints: [`GET /development/${components}`],
        call: (signal) => client.components(development, signal),
      },
    };
  },
});
