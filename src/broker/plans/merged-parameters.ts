import { saysNothing } from './oidc-rules.ts';
import type { GivenParameters } from './parameter-definitions.ts';

/** The parameters of an instance after an update. Empty lists and empty objects change nothing; any other OIDC replaces all of it. */
export function mergedParameters(
  current: GivenParameters,
  update: GivenParameters,
): GivenParameters {
  const { oidc, administrators, expired: _expired, ...others } = update;
  return {
    ...current,
    ...others,
    ...(oidc && !saysNothing(oidc) && { oidc }),
    ...(administrators && administrators.length > 0 && { administrators }),
  };
}
