import { z } from 'zod';
import { Kubeconfig } from './kubeconfig.ts';

export const runtimeOperationStates = ['Pending', 'InProgress', 'Succeeded', 'Failed'] as const;
export type RuntimeOperationState = (typeof runtimeOperationStates)[number];

/** The members that every answer about an operation is asked for. */
export const operationFields =
  '{ id operation state message runtimeID lastError { errMessage reason component } }';

export const runtimeStatusFields = `{
  lastOperationStatus { operation state message lastError { errMessage reason component } }
  runtimeConnectionStatus { status }
  runtimeConfiguration { kubeconfig
    clusterConfig { name kubernetesVersion volumeSizeGB diskType machineType region provider seed targetSecret workerCidr
      autoScalerMin autoScalerMax maxSurge maxUnavailable
      providerSpecificConfig { ... on GCPProviderConfig { zones } ... on AzureProviderConfig { vnetCidr }
        ... on AWSProviderConfig { awsZones { name publicCidr workerCidr internalCidr } vpcCidr } }
      oidcConfig { clientID issuerURL groupsClaim signingAlgs usernameClaim usernamePrefix } }
    kymaConfig { version } } }`;

/** Null and missing are the same to us. */
const maybe = <Value extends z.ZodType>(value: Value) =>
  value.nullish().transform((given) => given ?? undefined);
const text = maybe(z.string());
const number = maybe(z.number());

const LastError = z.object({ errMessage: z.string(), reason: z.string(), component: z.string() });
export type RuntimeLastError = z.output<typeof LastError>;

const Progress = z.object({
  operation: z.string(),
  /** One of `runtimeOperationStates`, or one that a later provisioner has added. */
  state: z.string().min(1),
  message: z
    .string()
    .nullish()
    .transform((message) => message ?? ''),
  /** Where nothing went wrong, the provisioner sends one of empty texts. */
  lastError: maybe(LastError).transform((error) =>
    error && Object.values(error).some((each) => each !== '') ? error : undefined,
  ),
});
export type RuntimeProgress = z.output<typeof Progress>;

export const RuntimeOperation = Progress.extend({
  id: z.string().min(1),
  runtimeID: z.string().min(1),
});
export type RuntimeOperation = z.output<typeof RuntimeOperation>;

const OidcConfig = z.object({
  clientID: z.string(),
  issuerURL: z.string(),
  groupsClaim: z.string(),
  signingAlgs: z.array(z.string()),
  usernameClaim: z.string(),
  usernamePrefix: z.string(),
});

const ClusterConfig = z.object({
  name: text,
  kubernetesVersion: text,
  volumeSizeGB: number,
  diskType: text,
  machineType: text,
  region: text,
  provider: text,
  seed: text,
  targetSecret: text,
  workerCidr: text,
  autoScalerMin: number,
  autoScalerMax: number,
  maxSurge: number,
  maxUnavailable: number,
  /** Each provider fills its own members: none of OpenStack's is asked for. */
  providerSpecificConfig: maybe(
    z.object({
      zones: maybe(z.array(z.string())),
      vnetCidr: text,
      vpcCidr: text,
      awsZones: maybe(
        z.array(
          z
            .object({ name: text, publicCidr: text, workerCidr: text, internalCidr: text })
            .nullable(),
        ),
      ),
    }),
  ),
  oidcConfig: maybe(OidcConfig),
});
export type RuntimeClusterConfig = z.output<typeof ClusterConfig>;

export const RuntimeStatus = z
  .object({
    lastOperationStatus: maybe(Progress),
    /** 'Pending', 'Connected', 'Disconnected', or empty: nobody has said so far. */
    runtimeConnectionStatus: maybe(z.object({ status: text })),
    runtimeConfiguration: maybe(
      z.object({
        kubeconfig: text.transform((each) => (each === undefined ? each : new Kubeconfig(each))),
        clusterConfig: maybe(ClusterConfig),
        kymaConfig: maybe(z.object({ version: text })),
      }),
    ),
  })
  .transform(({ lastOperationStatus, runtimeConnectionStatus, runtimeConfiguration }) => ({
    lastOperation: lastOperationStatus,
    agentConnection: runtimeConnectionStatus?.status || undefined,
    /** Missing until the cluster is there, and too short to be one in between. */
    kubeconfig: runtimeConfiguration?.kubeconfig,
    cluster: runtimeConfiguration?.clusterConfig,
    kymaVersion: runtimeConfiguration?.kymaConfig?.version,
  }));
export type RuntimeStatus = z.output<typeof RuntimeStatus>;
