import type { GivenParameters } from './parameter-definitions.ts';
import type { ClusterLocation } from './cluster-location.ts';
import { InvalidParameters, shortened } from './invalid-parameters.ts';
import { listed, networkingProblems } from './networking-rules.ts';
import { oidcProblems } from './oidc-rules.ts';
import type { Plan } from './plans.ts';
import { mostZones } from './zone-ranges.ts';

/**
 * More than the form of single values: what they mean, and whether they fit together with what the instance has. That was
 * checked when it came, maybe by older rules, and is not checked by itself again. The first broken rule is told.
 */
export function checkRules(
  plan: Plan,
  given: GivenParameters,
  merged: GivenParameters,
  location: ClusterLocation | undefined,
): void {
  checkNetworking(plan, given);
  if (location) {
    checkZones(plan, given, location);
    checkAutoscaler(merged, location);
    checkRollingUpdate(merged);
  }
  refuseIf(oidcProblems(given.oidc ?? {}).join(', '));
  if (given.administrators?.some((name) => name.trim() === '')) {
    refuseIf(
      `administrators must not contain empty names (got ${shortened(given.administrators)})`,
    );
  }
}

function checkNetworking({ catalog, settings }: Plan, { networking }: GivenParameters): void {
  if (!networking) return;
  if (!settings.allowNetworking) refuseIf('providing networking parameters is not allowed');
  refuseIf(listed(networkingProblems(networking.nodes, catalog.networking)));
}

function checkZones(plan: Plan, { zones }: GivenParameters, { provider, region }: ClusterLocation) {
  if (!zones) return;
  const got = `(got ${shortened(zones)})`;
  const known = plan.catalog.providers[provider].regions[region]?.zones ?? [];
  if (zones.length > mostZones) {
    refuseIf(`zones: number of zones must not be greater than ${mostZones} ${got}`);
  }
  if (new Set(zones).size < zones.length) refuseIf(`zones: each zone must be named once ${got}`);
  if (!zones.every((zone) => known.includes(zone))) {
    refuseIf(`zones: the zones of ${region} are ${known.join(', ')} ${got}`);
  }
}

function checkAutoscaler(merged: GivenParameters, { offer: { nodes } }: ClusterLocation): void {
  const { autoScalerMin, autoScalerMax } = merged;
  const min = autoScalerMin ?? nodes.min;
  const max = autoScalerMax ?? nodes.max;
  if (min <= max) return;
  const user = `min:${autoScalerMin ?? '<nil>'}, max:${autoScalerMax ?? '<nil>'}`;
  refuseIf(
    `AutoScalerMax ${max} should be larger than AutoScalerMin ${min}. User provided values ${user}; ` +
      `plan defaults min:${nodes.min}, max:${nodes.max}`,
  );
}

/** With no node to spare and none to add, no node could ever be replaced. */
function checkRollingUpdate({ maxSurge, maxUnavailable = 0 }: GivenParameters): void {
  if (maxSurge !== 0 || maxUnavailable > 0) return;
  refuseIf(`maxSurge and maxUnavailable must not both be 0 (got ${maxSurge}, ${maxUnavailable})`);
}

function refuseIf(problem: string): void {
  if (problem) throw new InvalidParameters(problem);
}
