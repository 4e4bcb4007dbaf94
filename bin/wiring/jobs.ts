import { cisClient, type Call, type CisClient } from '#clients';
import type { ApiSettings, EveryJobSettings } from '#broker';
import type { BrokerConfig } from '#config';

/** By what the names of its settings begin with. */
type JobName = {
  [Name in keyof BrokerConfig]-?: Name extends `${infer Job}_DRY_RUN` ? Job : never;
}[keyof BrokerConfig];

export function jobSettingsOf(config: BrokerConfig): EveryJobSettings {
  const of = (name: JobName) => ({
    enabled: config[`${name}_ENABLED`],
    schedule: config[`${name}_SCHEDULE`],
    dryRun: config[`${name}_DRY_RUN`],
  });
  return {
    deprovisionRetrigger: of('DEPROVISION_RETRIGGER'),
    trialExpiration: {
      ...of('TRIAL_EXPIRATION'),
      period: config.TRIAL_EXPIRATION_PERIOD,
      subaccount: config.TRIAL_EXPIRATION_SUBACCOUNT_ID,
    },
    freeExpiration: {
      ...of('FREE_EXPIRATION'),
      period: config.FREE_EXPIRATION_PERIOD,
      subaccount: config.FREE_EXPIRATION_SUBACCOUNT_ID,
    },
    subaccountCleanup: of('SUBACCOUNT_CLEANUP'),
    subscriptionCleanup: of('SUBSCRIPTION_CLEANUP'),
    environmentsCleanup: {
      ...of('ENVIRONMENTS_CLEANUP'),
      labelSelector: config.ENVIRONMENTS_CLEANUP_LABEL_SELECTOR,
      maxAge: config.ENVIRONMENTS_CLEANUP_MAX_AGE,
      devDomain: config.ENVIRONMENTS_CLEANUP_DEV_DOMAIN,
    },
    runtimeReconciler: of('RUNTIME_RECONCILER'),
    bindingCleanup: of('BINDING_CLEANUP'),
    archiving: { ...of('ARCHIVING'), keep: config.ARCHIVING_KEEP },
    eventRetention: { ...of('EVENT_RETENTION'), keep: config.EVENT_RETENTION_KEEP },
  };
}

/** What people see of it in their platform. */
export function expirationNotices(
  config: BrokerConfig,
): Pick<ApiSettings, 'trialExpiration' | 'freeExpiration'> {
  const ofTrials = config.BROKER_SUBACCOUNTS_IDS_TO_SHOW_TRIAL_EXPIRATION_INFO;
  const all = ofTrials.includes('all') ? 'all' : ofTrials;
  return {
    trialExpiration: {
      subaccounts: config.BROKER_SHOW_TRIAL_EXPIRATION_INFO ? all : [],
      docsUrl: config.BROKER_TRIAL_DOCS_URL,
      period: config.TRIAL_EXPIRATION_PERIOD,
    },
    freeExpiration: {
      subaccounts: config.BROKER_SHOW_FREE_EXPIRATION_INFO ? 'all' : [],
      docsUrl: config.BROKER_FREE_DOCS_URL,
      period: config.FREE_EXPIRATION_PERIOD,
    },
  };
}

export function cisOf(config: BrokerConfig, onCall: (call: Call) => void): CisClient | undefined {
  const { CIS_EVENT_SERVICE_URL: url } = config;
  if (url === undefined) return undefined;
  return cisClient({
    caller: 'broker',
    onCall,
    url,
    version: config.CIS_VERSION,
    // The settings that go with the URL are there: the schema of the settings sees to that.
    authUrl: config.CIS_AUTH_URL ?? '',
    clientId: config.CIS_CLIENT_ID ?? '',
    clientSecret: config.CIS_CLIENT_SECRET ?? '',
  });
}
