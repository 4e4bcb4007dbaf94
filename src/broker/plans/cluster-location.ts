import type { Offer, ProviderName } from './catalog-schema.ts';
import { InvalidParameters } from './invalid-parameters.ts';
import type { Platform } from './platform.ts';
import type { Plan } from './plans.ts';

/** Where a cluster goes, and on which terms. */
export type ClusterLocation = {
  readonly provider: ProviderName;
  readonly offer: Offer;
  readonly region: string;
  readonly euAccess: boolean;
};

export type LocationChoice = { readonly provider?: string; readonly region?: string };

/** Undefined if the customer brings the cluster. */
export function clusterLocation(
  plan: Plan,
  choice: LocationChoice,
  platform: Platform,
): ClusterLocation | undefined {
  const provider = providerFor(plan, platform, choice.provider);
  const offer = provider && plan.providers[provider];
  if (!offer) return undefined;
  const area = choice.region ?? plan.platformRegions[platform.region];
  const region = area === undefined ? undefined : offer.regions[area];
  return {
    provider,
    offer,
    // The protection of data outranks every wish.
    region: forcedRegion(plan, provider, platform) ?? region ?? offer.region,
    euAccess: hasEuAccess(plan, platform),
  };
}

/** The provider of a plan that has several is the customer's choice, or follows the platform. */
export function providerFor(
  plan: Plan,
  platform: Platform,
  chosen?: string,
): ProviderName | undefined {
  const providers = Object.keys(plan.providers) as ProviderName[];
  const named = (displayName: string | undefined) =>
    providers.find((name) => plan.catalog.providers[name].displayName === displayName);
  switch (plan.providerFrom) {
    case 'platform':
      return named(platform.provider) ?? providers[0];
    case 'parameter':
      return named(chosen) ?? plan.settings.trialProvider;
    case undefined:
      return providers[0];
  }
}

/** A plan that follows the platform may be closed at some providers. */
export function checkProviderIsOpen(plan: Plan, platform: Platform): void {
  if (plan.providerFrom !== 'platform') return;
  const provider = providerFor(plan, platform);
  const { freeProviders } = plan.settings;
  if (!provider || freeProviders.includes(provider)) return;
  throw new InvalidParameters(
    `while obtaining plan defaults: freemium provider ${plan.catalog.providers[provider].displayName} ` +
      `is not enabled (enabled: ${freeProviders.join(', ') || 'none'})`,
  );
}

/** What customers may write as region, and how each is shown to them. */
export function regionChoices(plan: Plan, platform: Platform): Readonly<Record<string, string>> {
  const provider = providerFor(plan, platform);
  const offer = provider && plan.providers[provider];
  if (!offer) return {};
  const { regions } = plan.catalog.providers[provider];
  const forced = forcedRegion(plan, provider, platform);
  const named = Object.entries(offer.regions).every(([area, region]) => area === region);
  const choices = forced && named ? [forced] : Object.keys(offer.regions);
  return Object.fromEntries(choices.map((name) => [name, regions[name]?.displayName ?? name]));
}

export function hasEuAccess({ catalog }: Plan, platform: Platform): boolean {
  return catalog.euAccess.includes(platform.region);
}

const forcedRegion = (plan: Plan, provider: ProviderName, platform: Platform) =>
  hasEuAccess(plan, platform) ? plan.catalog.providers[provider].euAccessRegion : undefined;
