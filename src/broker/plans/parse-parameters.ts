import type { Secret } from '#database';
import type { RequestKind } from './catalog-schema.ts';
import { checkProviderIsOpen, clusterLocation } from './cluster-location.ts';
import { InvalidParameters, shortened } from './invalid-parameters.ts';
import { mergedParameters } from './merged-parameters.ts';
import { decodeKubeconfig } from './own-kubeconfig.ts';
import type { GivenParameters } from './parameter-definitions.ts';
import { checkRules } from './parameter-rules.ts';
import { acceptedParameters, parameterSchema } from './parameter-schema.ts';
import type { Platform } from './platform.ts';
import type { Plan } from './plans.ts';
import { describeIssue, typeName } from './schema-problems.ts';

export type ProvisioningParameters = GivenParameters & { readonly name: string };
export type UpdateParameters = GivenParameters;

const mostBytes = 64 * 1024;
const mostProblems = 10;

/** The parameters of a new instance, checked. The kubeconfig comes out decoded. Throws InvalidParameters. */
export function parseProvisioningParameters(
  plan: Plan,
  input: unknown,
  platform: Platform,
): ProvisioningParameters {
  checkIsObject(input);
  checkProviderIsOpen(plan, platform);
  const given = parse(plan, 'create', input, platform);
  checkRules(plan, given, given, clusterLocation(plan, given, platform));
  const { licence_type: _, ...wanted } = withoutVersions(plan, withDecodedKubeconfig(given));
  // No catalog is loaded in which a plan does not require a name.
  return wanted as ProvisioningParameters;
}

/** The parameters of an update, checked by themselves and together with those that the instance has. Throws InvalidParameters. */
export function parseUpdateParameters(
  plan: Plan,
  input: unknown,
  platform: Platform,
  current: GivenParameters,
): UpdateParameters {
  if (input === undefined || input === null) return {};
  checkIsObject(input);
  if (input['expired'] !== undefined && !plan.parameters.update.hidden.includes('expired')) {
    throw new InvalidParameters(
      `expiration of a non-trial instance is not supported (expired: ${shortened(input['expired'])}, plan ${plan.name})`,
    );
  }
  const given = withDecodedKubeconfig(parse(plan, 'update', input, platform));
  const merged = mergedParameters(current, given);
  checkRules(plan, given, merged, clusterLocation(plan, merged, platform));
  return given;
}

function parse(plan: Plan, request: RequestKind, input: object, platform: Platform) {
  const asked = { plan, request, platform };
  const read = parameterSchema(asked).safeParse(input);
  if (read.success) return read.data;
  const accepted = acceptedParameters(asked);
  const problems = read.error.issues.flatMap((issue) => describeIssue(issue, input, accepted));
  const what = request === 'create' ? 'input' : 'update';
  const isTrialRegion =
    plan.name === 'trial' && read.error.issues.some(({ path }) => path[0] === 'region');
  const trial = isTrialRegion ? 'invalid region specified in request for trial: ' : '';
  throw new InvalidParameters(`${trial}while validating ${what} parameters: ${joined(problems)}`);
}

/** Somebody who sends a thousand mistakes learns of the first ones. */
function joined(problems: readonly string[]): string {
  const more = problems.length - mostProblems;
  return [...problems.slice(0, mostProblems), ...(more > 0 ? [`and ${more} more`] : [])].join(', ');
}

function checkIsObject(input: unknown): asserts input is Record<string, unknown> {
  if (typeof input !== 'object' || input === null || Array.isArray(input)) {
    throw new InvalidParameters(
      `while extracting input parameters: while unmarshaling raw parameters: expected an object, got ${typeName(input)}`,
    );
  }
  if (Buffer.byteLength(JSON.stringify(input)) > mostBytes) {
    throw new InvalidParameters(`request parameters too large (allowed: ${mostBytes} bytes)`);
  }
}

/** Versions are named by those alone who are allowed to: for others the landscape's count, as ever. */
function withoutVersions(plan: Plan, given: GivenParameters): GivenParameters {
  if (plan.settings.onDemandVersions) return given;
  const { kymaVersion: _kyma, overridesVersion: _overrides, ...rest } = given;
  return rest;
}

function withDecodedKubeconfig(given: GivenParameters): GivenParameters {
  const kubeconfig: Secret | undefined = given.kubeconfig;
  return kubeconfig ? { ...given, kubeconfig: decodeKubeconfig(kubeconfig) } : given;
}
