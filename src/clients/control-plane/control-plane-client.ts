import { brokerConfig, type BrokerConfig } from './broker-config.ts';
import { parsedEntry } from './config-error.ts';
import {
  configurationObjects,
  type ControlPlaneSettings,
  type PlanAtVersion,
} from './configuration-objects.ts';
import { defaultOverrides, type DefaultOverrides } from './default-overrides.ts';
import { MaintenancePolicy } from './maintenance-policy.ts';

/**
 * The cluster that the services run in: operators keep configuration there that changes without a restart. What is
 * missing, there twice or malformed fails for good, with the reasons of config-error.ts.
 */
export type ControlPlaneClient = {
  readonly brokerConfig: (wanted: PlanAtVersion, signal: AbortSignal) => Promise<BrokerConfig>;
  readonly defaultOverrides: (
    wanted: PlanAtVersion,
    signal: AbortSignal,
  ) => Promise<DefaultOverrides>;
  /** That of the subaccount before that of the global account; undefined if neither has one of its own. */
  readonly kymaVersionOf: (
    account: { readonly globalAccountId: string; readonly subaccountId: string },
    signal: AbortSignal,
  ) => Promise<string | undefined>;
  /** Undefined if there is none. */
  readonly maintenancePolicy: (signal: AbortSignal) => Promise<MaintenancePolicy | undefined>;
};

export function controlPlaneClient(settings: ControlPlaneSettings): ControlPlaneClient {
  const {
    versionsName = 'kyma-versions',
    orchestrationName = 'orchestration-config',
    defaultKymaVersion,
  } = settings;
  const objects = configurationObjects(settings);
  return {
    brokerConfig: (wanted, signal) => brokerConfig(objects, wanted, defaultKymaVersion, signal),
    defaultOverrides: (wanted, signal) => defaultOverrides(objects, wanted, signal),

    async kymaVersionOf({ globalAccountId, subaccountId }, signal) {
      const versions = (await objects.findConfigMap(versionsName, signal))?.data;
      return versions?.[`SA_${subaccountId}`] || versions?.[`GA_${globalAccountId}`] || undefined;
    },

    async maintenancePolicy(signal) {
      const key = 'maintenancePolicy';
      const text = (await objects.findConfigMap(orchestrationName, signal))?.data[key];
      if (text === undefined) return undefined;
      const place = { configMap: orchestrationName, key };
      return parsedEntry(place, (): unknown => JSON.parse(text), MaintenancePolicy);
    },
  };
}
