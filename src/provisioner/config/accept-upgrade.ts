import { z } from 'zod';
import { isEmptyOidc, withoutEmpty, type GardenerConfig } from './gardener-config.ts';
import { fixed, UpgradeShootInput, type GardenerUpgradeInput } from './gardener-input.ts';
import { InvalidInput, shown } from './invalid-input.ts';
import { UpgradeRuntimeInput, type KymaConfigInput } from './kyma-input.ts';
import { parseInput } from './parse-input.ts';
import { changedProvider } from './provider-change.ts';
import { check, checkChange } from './rule.ts';
import {
  administratorRules,
  blockRules,
  clusterRules,
  givenRules,
  kymaRules,
  upgradeRules,
} from './rules.ts';

type Cluster = { readonly config: GardenerConfig; readonly administrators: readonly string[] };

/** The cluster as the upgrade wants it. What it does not name stays: `before` is what the Shoot has now. */
export function acceptUpgrade(input: unknown, before: Cluster): Cluster {
  const { gardenerConfig: given, administrators } = parseUpgrade(input);
  check(upgradeRules, { config: before.config, given });
  if (given.providerSpecificConfig) check(blockRules, given.providerSpecificConfig);
  const config = merged(before.config, given);
  checkChange(clusterRules, before.config, config);
  if (administrators) check(administratorRules, administrators);
  return { config, administrators: administrators ?? before.administrators };
}

/** What is wrong with it whatever the cluster is like. */
export function parseUpgrade(input: unknown): UpgradeShootInput {
  refuseFixedFields(input);
  const upgrade = parseInput(UpgradeShootInput, input);
  check(givenRules, upgrade.gardenerConfig);
  return upgrade;
}

export function acceptKymaUpgrade(input: unknown): KymaConfigInput {
  const { kymaConfig } = parseInput(UpgradeRuntimeInput, input);
  check(kymaRules, kymaConfig, 'validation error while starting Runtime upgrade, error: ');
  return kymaConfig;
}

const LooseUpgrade = z.object({ gardenerConfig: z.record(z.string(), z.unknown()) });

/** Told apart from fields that do not exist at all: the caller learns that there is no way. */
function refuseFixedFields(input: unknown): void {
  const { data } = LooseUpgrade.safeParse(input);
  for (const [field, value] of Object.entries(data?.gardenerConfig ?? {})) {
    if (!Object.hasOwn(fixed, field)) continue;
    const was = shown(field, value);
    throw new InvalidInput(field, `${field} is ${was}: it cannot be changed after provisioning`);
  }
}

function merged(before: GardenerConfig, given: GardenerUpgradeInput): GardenerConfig {
  const { providerSpecificConfig, oidcConfig, ...others } = withoutEmpty(given);
  const base = providerSpecificConfig ? changedProvider(before, providerSpecificConfig) : before;
  const changes = Object.fromEntries(
    Object.entries(others).filter(([, value]) => value !== undefined),
  );
  const after: GardenerConfig = {
    ...base,
    ...changes,
    ...(oidcConfig && !isEmptyOidc(oidcConfig) && { oidcConfig }),
  };
  // The version of another image would be none of this one: Gardener knows the newest.
  const isOtherImage = after.machineImage !== before.machineImage;
  if (isOtherImage && !given.machineImageVersion) delete after.machineImageVersion;
  return after;
}
