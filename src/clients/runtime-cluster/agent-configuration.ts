import type { Secrets } from './secrets.ts';

/** What the Runtime Agent needs to connect to Compass. */
export type AgentConfiguration = {
  readonly connectorUrl: string;
  readonly runtimeId: string;
  readonly tenant: string;
  /** Good for one use: a secret. */
  readonly token: string;
};

/** Gives the Runtime Agent its configuration, or a new one. Safe to repeat. */
export const ensureAgentConfiguration =
  (secrets: Secrets) =>
  async (configuration: AgentConfiguration, signal: AbortSignal): Promise<void> => {
    const { connectorUrl, runtimeId, tenant, token } = configuration;
    const secret = {
      namespace: 'kyma-system',
      name: 'compass-agent-configuration',
      data: {
        CONNECTOR_URL: connectorUrl,
        RUNTIME_ID: runtimeId,
        TENANT: tenant,
        TOKEN: token,
      },
    };
    if ((await secrets.create(secret, signal)) === 'created') return;
    await secrets.overwrite(secret, signal);
  };
