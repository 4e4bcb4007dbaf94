import { gardenerConfigOf, type ConfigDefaults, type GardenerConfig } from './gardener-config.ts';
import { ProvisionRuntimeInput, type RuntimeInput } from './gardener-input.ts';
import type { KymaConfigInput } from './kyma-input.ts';
import { parseInput } from './parse-input.ts';
import { check } from './rule.ts';
import {
  administratorRules,
  blockRules,
  clusterRules,
  kymaRules,
  newClusterRules,
  providerRules,
} from './rules.ts';

/** A wish for a new runtime that keeps all rules. */
export type AcceptedProvisioning = {
  readonly runtime: RuntimeInput;
  readonly config: GardenerConfig;
  readonly administrators: readonly string[];
  readonly kymaConfig?: KymaConfigInput;
};

const during = (what: 'Cluster' | 'Kyma') =>
  `${what} config validation error while starting Runtime provisioning, error: `;

export function acceptProvisioning(
  input: unknown,
  { project, defaults }: { readonly project: string; readonly defaults: ConfigDefaults },
): AcceptedProvisioning {
  const { runtimeInput, clusterConfig, kymaConfig } = parseInput(ProvisionRuntimeInput, input);
  const { gardenerConfig, administrators = [] } = clusterConfig;
  if (kymaConfig) check(kymaRules, kymaConfig, during('Kyma'));
  check(blockRules, gardenerConfig.providerSpecificConfig);
  check(providerRules, gardenerConfig, during('Cluster'));
  const config = gardenerConfigOf(gardenerConfig, defaults);
  check(clusterRules, config, during('Cluster'));
  check(newClusterRules, { ...config, project }, during('Cluster'));
  check(administratorRules, administrators, during('Cluster'));
  return { runtime: runtimeInput, config, administrators, ...(kymaConfig && { kymaConfig }) };
}
