import { z } from 'zod';
import { seconds } from '#time';
import { graphqlClient, type ClassifyGraphql } from '../graphql-client.ts';
import { graphql } from '../graphql-document.ts';
import type { SystemSettings } from '../http-client.ts';
import { clientCredentials, type ClientCredentials } from '../oauth.ts';
import { limitsIn } from '../system-limits.ts';
import { holdsSecrets, kymaConfigLiteral } from './kyma-config.ts';
import type { KymaConfigInput, ProvisionRuntimeInput, UpgradeShootInput } from './runtime-input.ts';
import {
  operationFields,
  RuntimeOperation,
  RuntimeStatus,
  runtimeStatusFields,
} from './runtime-status.ts';

/**
 * The Runtime Provisioner creates, changes and removes clusters, one operation at a time for each runtime. Its mutations
 * only begin one; whether it has ended, `runtimeOperationStatus` tells. They are safe to repeat by the caller's
 * operation id. What the provisioner does not know fails with the reason `provisionerNotFound`.
 */
export type ProvisionerClient = {
  readonly provisionRuntime: (
    caller: ProvisionerCaller & { readonly subaccount: string },
    input: ProvisionRuntimeInput,
    signal: AbortSignal,
  ) => Promise<RuntimeOperation>;
  /** Another version of Kyma 1.x, for a runtime that was provisioned with one. */
  readonly upgradeRuntime: (
    caller: ProvisionerCaller,
    runtimeId: string,
    kymaConfig: KymaConfigInput,
    signal: AbortSignal,
  ) => Promise<RuntimeOperation>;
  readonly upgradeShoot: (
    caller: ProvisionerCaller,
    runtimeId: string,
    input: UpgradeShootInput,
    signal: AbortSignal,
  ) => Promise<RuntimeOperation>;
  /** Gives the id of the provisioner's operation. */
  readonly deprovisionRuntime: (
    caller: ProvisionerCaller,
    runtimeId: string,
    signal: AbortSignal,
  ) => Promise<string>;
  /** Gives the id of the provisioner's operation; none if there is no agent, and so nothing to wait for. */
  readonly reconnectRuntimeAgent: (
    caller: ProvisionerCaller,
    runtimeId: string,
    signal: AbortSignal,
  ) => Promise<string | undefined>;
  readonly runtimeOperationStatus: (
    tenant: string,
    provisionerOperationId: string,
    signal: AbortSignal,
  ) => Promise<RuntimeOperation>;
  readonly runtimeStatus: (
    tenant: string,
    runtimeId: string,
    signal: AbortSignal,
  ) => Promise<RuntimeStatus>;
};

export type ProvisionerCaller = {
  /** The global account. */
  readonly tenant: string;
  /**
   * Of our own operation, sent as the idempotency key: the same id gets the operation that the first call began, even if
   * that has failed since. Whoever wants a fresh attempt needs another id.
   */
  readonly operationId: string;
};

/** Neither a runtime nor an operation of this id is known: match on this reason. */
export const provisionerNotFound = 'err_db_not_found';

/** `url` is that of the GraphQL endpoint; without credentials nobody is asked there who we are. */
export type ProvisionerConnection = SystemSettings & { readonly credentials?: ClientCredentials };

export function provisionerClient(settings: ProvisionerConnection): ProvisionerClient {
  const { credentials, ...connection } = settings;
  const { request } = graphqlClient(
    'provisioner',
    { timeout: seconds(120), ...connection },
    classify,
    credentials && clientCredentials('provisioner', { ...limitsIn(connection), ...credentials }),
  );
  const headersOf = ({ tenant, operationId }: ProvisionerCaller) => ({
    tenant,
    'Idempotency-Key': operationId,
  });

  return {
    provisionRuntime(caller, { kymaConfig, ...others }, signal) {
      const config = { ...others, kymaConfig: kymaConfig && kymaConfigLiteral(kymaConfig) };
      return request({
        what: `provision runtime ${others.runtimeInput.name}`,
        document: `${graphql`mutation { result: provisionRuntime(config: ${config})`} ${operationFields} }`,
        headers: { ...headersOf(caller), 'sub-account': caller.subaccount },
        confidential: kymaConfig !== undefined && holdsSecrets(kymaConfig),
        result: RuntimeOperation,
        signal,
      });
    },
    upgradeRuntime(caller, id, kymaConfig, signal) {
      const config = { kymaConfig: kymaConfigLiteral(kymaConfig) };
      return request({
        what: `upgrade Kyma of runtime ${id}`,
        document: `${graphql`mutation { result: upgradeRuntime(id: ${id}, config: ${config})`} ${operationFields} }`,
        headers: headersOf(caller),
        confidential: holdsSecrets(kymaConfig),
        result: RuntimeOperation,
        signal,
      });
    },
    upgradeShoot: (caller, id, config, signal) =>
      request({
        what: `upgrade the cluster of runtime ${id}`,
        document: `${graphql`mutation { result: upgradeShoot(id: ${id}, config: ${config})`} ${operationFields} }`,
        headers: headersOf(caller),
        result: RuntimeOperation,
        signal,
      }),
    deprovisionRuntime: (caller, id, signal) =>
      request({
        what: `deprovision runtime ${id}`,
        document: graphql`mutation { result: deprovisionRuntime(id: ${id}) }`,
        headers: headersOf(caller),
        result: z.string().min(1),
        signal,
      }),
    async reconnectRuntimeAgent(caller, id, signal) {
      const operationId = await request({
        what: `reconnect the agent of runtime ${id}`,
        document: graphql`mutation { result: reconnectRuntimeAgent(id: ${id}) }`,
        headers: headersOf(caller),
        result: z.string(),
        signal,
      });
      return operationId || undefined;
    },
    runtimeOperationStatus: (tenant, id, signal) =>
      request({
        what: `get the status of operation ${id}`,
        document: `${graphql`query { result: runtimeOperationStatus(id: ${id})`} ${operationFields} }`,
        headers: { tenant },
        result: RuntimeOperation,
        signal,
      }),
    runtimeStatus: (tenant, id, signal) =>
      request({
        what: `get the status of runtime ${id}`,
        document: `${graphql`query { result: runtimeStatus(id: ${id})`} ${runtimeStatusFields} }`,
        headers: { tenant },
        result: RuntimeStatus,
        signal,
      }),
  };
}

/** In this order. A document that does not fit the schema has no code: it waits for a newer provisioner. */
const classify: ClassifyGraphql = ({ error_code = 0, error_reason, error_component }) => ({
  temporary: error_reason !== provisionerNotFound && !(error_code >= 400 && error_code < 500),
  reason: error_reason || 'err_provisioner_internal',
  component: error_component || 'provisioner',
});
