import type { Secret } from '#database';

/** What only the steps of the older founding documents want to know. A step whose settings are missing is switched off. */
export type LegacySettings = {
  /** Service providers for the runtime's own logins; IAS must be switched on, too. */
  readonly registersInIas?: boolean;
  /** A Kafka of its own for each runtime on Azure. */
  readonly eventHubs?: boolean;
  /** LMS must be switched on, too. */
  readonly lms?: LmsRules;
  readonly serviceManager?: ServiceManagerRules;
  /** Keys with which a runtime tells AvS how it is. */
  readonly avsBridge?: { readonly apiKey: Secret; readonly trialApiKey?: Secret };
};

export type LmsRules = {
  /** Whether a provisioning fails if LMS does not do its part. */
  readonly isMandatory: boolean;
  /** For tenants of all runtimes, wherever they are. */
  readonly region?: string;
  /** Global accounts whose runtimes send logs there. */
  readonly accounts: 'all' | readonly string[];
};

export const overrideModes = ['Never', 'Always', 'WhenNotSentInRequest'] as const;

/** Whose credentials of Service Manager a runtime gets: those of the request, or our own. */
export type ServiceManagerRules = {
  readonly mode: (typeof overrideModes)[number];
  /** Needed unless the mode is `Never`. */
  readonly own?: ServiceManagerAccess;
  /** This subaccount has those of its request in every mode. */
  readonly subaccountWithItsOwn?: string;
};

export type ServiceManagerAccess = {
  readonly url: string;
  readonly username: string;
  readonly password: Secret;
};
