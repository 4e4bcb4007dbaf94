import { lmsClient, type Call } from '#clients';
import type { BrokerClients, BrokerSettings } from '#broker';
import type { BrokerConfig } from '#config';
import { Secret } from '#database';

const caller = 'broker';

/** The systems that only the older steps call. */
export const legacyClients = (
  config: BrokerConfig,
  onCall: (call: Call) => void,
): Pick<BrokerClients, 'lms'> => ({
  lms:
    config.LMS_URL === undefined
      ? undefined
      : lmsClient({
          caller,
          onCall,
          url: config.LMS_URL,
          token: config.LMS_TOKEN ?? '', // there with the URL: the schema of the settings sees to that
          clusterType: config.LMS_CLUSTER_TYPE,
          environment: config.LMS_ENVIRONMENT,
          samlTenant: config.LMS_SAML_TENANT ?? '',
        }),
});

export function legacySettingsOf(
  config: BrokerConfig,
): Required<Pick<BrokerSettings, 'legacy' | 'older'>> {
  const legacy = config.BROKER_OPERATIONS === 'legacy';
  const { LMS_ENABLED_FOR_GLOBAL_ACCOUNTS: accounts, AVS_API_KEY: apiKey } = config;
  const { SERVICE_MANAGER_URL: url, SERVICE_MANAGER_OVERRIDE_MODE: mode } = config;
  return {
    legacy,
    older: {
      registersInIas: config.IAS_REGISTRATION ?? legacy,
      eventHubs: config.AZURE_EVENT_HUBS,
      lms: {
        isMandatory: config.LMS_MANDATORY,
        ...(config.LMS_REGION !== undefined && { region: config.LMS_REGION }),
        accounts: accounts.includes('all') ? 'all' : accounts.filter((each) => each !== 'none'),
      },
      ...(mode !== undefined && {
        serviceManager: {
          mode,
          ...(url !== undefined && {
            own: {
              url,
              username: config.SERVICE_MANAGER_USERNAME ?? '',
              password: new Secret(config.SERVICE_MANAGER_PASSWORD ?? ''),
            },
          }),
          ...(config.SERVICE_MANAGER_SUBACCOUNT_WITH_REQUEST_CREDENTIALS !== undefined && {
            subaccountWithItsOwn: config.SERVICE_MANAGER_SUBACCOUNT_WITH_REQUEST_CREDENTIALS,
          }),
        },
      }),
      ...(apiKey !== undefined && {
        avsBridge: {
          apiKey: new Secret(apiKey),
          ...(config.AVS_TRIAL_API_KEY !== undefined && {
            trialApiKey: new Secret(config.AVS_TRIAL_API_KEY),
          }),
        },
      }),
    },
  };
}
