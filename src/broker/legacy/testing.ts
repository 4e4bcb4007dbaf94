// For tests of the operations of 2020: a broker that runs them, and what a runtime was told.
import { Secret } from '#database';
import { configure } from '../steps/testing.ts';
import { everyPlan, startBroker, type BrokerWorldOptions } from '../testing.ts';
import type { LegacySettings } from './legacy-settings.ts';

/** Old enough to need Event Hubs. */
export const kymaVersion = '1.19.1';

export const ownServiceManager = {
  url: 'https://sm.example.com',
  username: 'sm-user',
  password: new Secret('sm-password'),
};

/** Everything is switched on. */
export const olderSettings: LegacySettings = {
  registersInIas: true,
  eventHubs: true,
  lms: { isMandatory: false, accounts: 'all' },
  serviceManager: { mode: 'WhenNotSentInRequest', own: ownServiceManager },
  avsBridge: { apiKey: new Secret('avs-key'), trialApiKey: new Secret('avs-trial-key') },
};

/** Components that the release does not have, and operators add. */
const additional = [
  'avs-bridge',
  'compass-runtime-agent',
  'knative-eventing',
  'knative-eventing-kafka',
  'monitoring',
  'service-manager-proxy',
];

export async function startLegacyBroker({
  settings,
  off = [],
  ...options
}: BrokerWorldOptions = {}) {
  const world = await startBroker({
    ...options,
    off: [...off, 'reconciler', 'lifecycleManager'],
    settings: { kymaVersion, legacy: true, older: olderSettings, ...settings },
  });
  try {
    await configureKymaOne(world);
    return world;
  } catch (error) {
    await world[Symbol.asyncDispose]();
    throw error;
  }
}

/** What operators write for a version before anybody can order it. */
export async function configureKymaOne(
  { landscape }: Awaited<ReturnType<typeof startBroker>>,
  version = kymaVersion,
): Promise<void> {
  await configure(landscape, 'configmaps', {
    name: `keb-config-${version}`,
    labels: { 'keb-config': 'true', [`runtime-version-${version}`]: 'true' },
    data: {
      default: [
        'additional-components:',
        ...additional.map(
          (name) =>
            `- { name: ${name}, namespace: kyma-system, source: { url: "https://example.com/${name}" } }`,
        ),
      ].join('\n'),
    },
  });
  await configure(landscape, 'configmaps', {
    name: `overrides-${version}`,
    labels: Object.fromEntries([
      ...everyPlan.map((plan) => [`overrides-plan-${plan}`, 'true']),
      [`overrides-version-${version}`, 'true'],
    ]),
    data: { 'global.disableLegacyConnectivity': 'true' },
  });
}

type Entries = readonly {
  readonly key: string;
  readonly value: string;
  readonly secret: boolean;
}[];
type KymaConfig = {
  readonly version: string;
  readonly profile: string;
  readonly configuration: Entries;
  readonly components: readonly { readonly component: string; readonly configuration: Entries }[];
};

/** What the provisioner was asked to install, as it tells everybody who asks. */
export async function installedKyma(
  { landscape, instance }: Awaited<ReturnType<typeof startBroker>>,
  instanceId: string,
): Promise<KymaConfig> {
  const stored = await instance(instanceId);
  const entries = 'configuration { key value secret }';
  const response = await fetch(`${landscape.url}/provisioner/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', tenant: stored?.globalAccount ?? '' },
    body: JSON.stringify({
      query: `query { result: runtimeStatus(id: "${stored?.runtimeId}") { runtimeConfiguration {
        kymaConfig { version profile ${entries} components { component ${entries} } } } } }`,
    }),
  });
  const { data } = (await response.json()) as {
    data: { result: { runtimeConfiguration: { kymaConfig: KymaConfig } } };
  }; // as the schema has it
  return data.result.runtimeConfiguration.kymaConfig;
}

/** The settings of one component: `*` before those that are secret. */
export const settingsOf = ({ components }: KymaConfig, component: string) =>
  Object.fromEntries(
    (components.find((each) => each.component === component)?.configuration ?? []).map(
      ({ key, value, secret }) => [`${secret ? '*' : ''}${key}`, value],
    ),
  );
