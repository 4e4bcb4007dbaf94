import type { PoolClient } from 'pg';
import type { Registry } from 'prom-client';
import type { StoredOperation } from '#engine';
import { days, seconds, type Milliseconds } from '#time';
import type { ConsoleSettings } from '../console/serve-console.ts';
import type { Instance } from '../instance.ts';
import type { CatalogSettings } from '../plans/catalog-body.ts';
import type { UpdateParameters } from '../plans/parse-parameters.ts';
import type { Plan } from '../plans/plans.ts';
import type { Api } from './api.ts';
import type { ContextChange } from './order-context.ts';

/** The switches of the broker's HTTP side. */
export type ApiSettings = Pick<CatalogSettings, 'includeAdditionalParameters' | 'maintenance'> & {
  /** For requests whose path names none. */
  readonly defaultRegion: string;
  /** The specification's answer to a request without a version is 400; its older checkers wait for 412. */
  readonly missingVersionStatus: 400 | 412;
  /** Of this service. */
  readonly version: string;
  /** Where others count, too: calls to outside systems. */
  readonly metrics?: Registry;
  /** Where platforms and people reach this broker. */
  readonly publicUrl: string;
  /** Who may order where data must stay in the EU, and what the others are told. */
  readonly euAccess: {
    readonly globalAccounts: ReadonlySet<string>;
    readonly rejection: string;
  };
  readonly onlyOneTrialPerAccount: boolean;
  readonly kubeconfigUrlLabel: boolean;
  /** Whose trials, and whose free instances, say when they expire. */
  readonly trialExpiration: ExpirationNotice;
  readonly freeExpiration: ExpirationNotice;
  /** Who may read kubeconfigs from a page of theirs. */
  readonly kubeconfigOrigins: '*' | readonly string[];
  readonly bindings: {
    /** Of those that have not expired. */
    readonly mostPerInstance: number;
    /** So long a request waits for its binding if it accepts nothing incomplete. */
    readonly waitAtMost: Milliseconds;
  };
  readonly console: ConsoleSettings;
  /** Another global account in an update moves the instance there. */
  readonly subaccountMovement: boolean;
  /** When to ask again for an operation that goes on. */
  readonly retryAfter: Milliseconds;
  /** Without it, instances take a new context and nothing else. */
  readonly startUpdate?: StartUpdate;
};

export type ExpirationNotice = {
  readonly subaccounts: 'all' | readonly string[];
  readonly docsUrl: string;
  /** So long after it was ordered. */
  readonly period: Milliseconds;
};

/**
 * Starts an update, in the caller's transaction. The same update again gives the operation that is under way; another one
 * meanwhile is refused as OPERATION_IN_PROGRESS.
 */
export type StartUpdate = (
  api: Api,
  instance: Instance,
  update: UpdateRequest,
  db: PoolClient,
) => Promise<StoredOperation>;

/** What is to change, checked. */
export type UpdateRequest = {
  /** The one that the instance shall have. */
  readonly plan: Plan;
  readonly parameters: UpdateParameters;
  readonly context: ContextChange;
  readonly maintenanceVersion: string | undefined;
};

export const defaultApiSettings: ApiSettings = {
  includeAdditionalParameters: false,
  defaultRegion: 'cf-eu10',
  missingVersionStatus: 400,
  version: '0.0.0',
  publicUrl: 'http://localhost:8080',
  euAccess: {
    globalAccounts: new Set(),
    rejection: 'this global account may not order in a region with EU access',
  },
  onlyOneTrialPerAccount: true,
  kubeconfigUrlLabel: false,
  trialExpiration: { subaccounts: [], docsUrl: '', period: days(14) },
  freeExpiration: { subaccounts: [], docsUrl: '', period: days(30) },
  kubeconfigOrigins: '*',
  bindings: { mostPerInstance: 10, waitAtMost: seconds(15) },
  console: { clientId: 'console' },
  subaccountMovement: false,
  retryAfter: seconds(10),
};
