import type { ProviderName } from './catalog-schema.ts';

/** The switches that decide what may be ordered. */
export type PlanSettings = {
  /** By name. */
  readonly enabledPlans: readonly string[];
  /** Where the free plan may go. */
  readonly freeProviders: readonly ProviderName[];
  /** For a trial that names no provider. */
  readonly trialProvider: ProviderName;
  readonly allowNetworking: boolean;
  /** Whether a request may name its Kyma version. */
  readonly onDemandVersions: boolean;
  readonly planUpdates: boolean;
};

export const defaultPlanSettings: PlanSettings = {
  enabledPlans: ['azure'],
  freeProviders: ['aws'],
  trialProvider: 'azure',
  allowNetworking: false,
  onDemandVersions: false,
  planUpdates: false,
};
