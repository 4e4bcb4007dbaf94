import type { KymaApiVersion } from '#clients';
import { Secret } from '#database';
import type { ProvisioningParameters } from './plans/parse-parameters.ts';
import type { Platform } from './plans/platform.ts';
import type { ShootParameter } from './plans/shoot-update.ts';

/** A runtime as a customer has ordered it, and what is known of it. */
export type Instance = {
  readonly id: string;
  readonly serviceId: string;
  readonly planId: string;
  readonly planName: string;
  readonly globalAccount: string;
  readonly subaccount: string;
  /** The account that came first, if the instance was moved. */
  readonly subscriptionAccount: string | undefined;
  /** Where the request came from. */
  readonly platform: Platform;
  /** Where the cluster is: `azure`, or `custom` for one that the customer brings. */
  readonly provider: string;
  readonly region: string;
  readonly context: OrderContext;
  readonly parameters: ProvisioningParameters;
  readonly shootName: string;
  readonly shootDomain: string;
  readonly dashboardUrl: string;
  /** Of the provisioner, as soon as it has told. */
  readonly runtimeId: string | undefined;
  readonly details: InstanceDetails;
  /** Of `maintenance_info`, as it was updated last. */
  readonly maintenanceVersion: string | undefined;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  readonly expiredAt: Date | undefined;
  /** Deprovisioned, with something left behind. */
  readonly deletedAt: Date | undefined;
};

/** The platform's `context`, as it was given. */
export type OrderContext = {
  readonly globalaccount_id: string;
  readonly subaccount_id: string;
  readonly user_id: string;
  readonly tenant_id?: string;
  readonly active?: boolean;
  /** JSON of SmOperatorCredentials. */
  readonly sm_operator_credentials?: Secret;
  /** JSON of SmPlatformCredentials. */
  readonly sm_platform_credentials?: Secret;
  readonly commercial_model?: string;
  readonly license_type?: string;
  readonly origin?: string;
  readonly platform?: string;
  readonly region?: string;
  /** As platforms without accounts name the customer; kept to recognise an order that comes again. */
  readonly organization_guid?: string;
  readonly space_guid?: string;
};

export type SmOperatorCredentials = {
  readonly clientid: string;
  readonly clientsecret: string;
  readonly sm_url: string;
  readonly url: string;
  readonly xsappname: string;
};

/** Of the older Service Manager, as platforms send them. */
export type SmPlatformCredentials = {
  readonly url: string;
  readonly credentials: {
    readonly basic: { readonly username: string; readonly password: string };
  };
};

/** What exists out there because of the instance. A step that undoes something takes its entry away. */
export type InstanceDetails = {
  readonly kymaVersion?: string;
  readonly targetSecret?: string;
  /** The operation that asked the provisioner for a runtime, or was about to: its id is the key of that request. */
  readonly runtimeRequestedBy?: string;
  readonly avsInternalId?: string;
  readonly avsExternalId?: string;
  /** False while it is about to be registered. */
  readonly edpRegistered?: boolean;
  /** The last request for a service provider: by which operation, and in which attempt of its step. By their names. */
  readonly iasAsked?: Readonly<Record<string, { readonly by: string; readonly attempt: number }>>;
  /** The account whose Event Hubs the runtime has, by the name of its Secret. */
  readonly eventHubsIn?: string;
  /** Its identity towards BTP; the same as long as the instance lives. */
  readonly smClusterId?: string;
  readonly clusterName?: string;
  readonly clusterConfigurationVersion?: number;
  /** What the provisioner was asked to change by an update that has not come to its end. */
  readonly unsettled?: readonly (ShootParameter | 'license_type')[];
  /** How evaluations stood before their maintenance, by their ids. */
  readonly avsMaintenance?: Readonly<Record<string, string>>;
  /**
   * The events under which the customer was told, or was about to be, that a maintenance begins; and the attempt of the step
   * that announced each itself, or 0.
   */
  readonly maintenanceEvents?: Readonly<Record<string, number>>;
  readonly kyma?: {
    readonly apiVersion: KymaApiVersion;
    readonly namespace: string;
    readonly name: string;
  };
};

/** Which of the entries may be missing afterwards. */
export type DetailsChange = {
  readonly [Name in keyof InstanceDetails]?: InstanceDetails[Name] | null;
};

/** It has no runtime; or one that nobody may use, because something of it could not be removed. */
export const isSuspended = ({ planName, runtimeId, expiredAt, context }: Instance): boolean =>
  runtimeId === undefined ||
  expiredAt !== undefined ||
  (planName === 'trial' && context.active === false);

export const smOperatorCredentials = ({
  sm_operator_credentials: sealed,
}: OrderContext): SmOperatorCredentials | undefined =>
  sealed && (JSON.parse(sealed.reveal()) as SmOperatorCredentials); // the API has checked it

export function smPlatformCredentials({ sm_platform_credentials: sealed }: OrderContext) {
  if (!sealed) return undefined;
  const { url, credentials } = JSON.parse(sealed.reveal()) as SmPlatformCredentials; // the API has checked it
  const { username, password } = credentials.basic;
  return { url, username, password: new Secret(password) };
}
