import { z } from 'zod';
import { Secret } from '#database';
import { Refusal } from '../errors.ts';
import type { OrderContext, SmOperatorCredentials, SmPlatformCredentials } from '../instance.ts';
import type { Originator } from './broker-headers.ts';
import { mandatoryText, optionalBoolean, optionalObject, optionalText } from './read-request.ts';

const credential = mandatoryText(2_000);

/** What we know of a platform's context. Everything else in it is ignored. */
export const contextSchema = optionalObject({
  globalaccount_id: optionalText(),
  subaccount_id: optionalText(),
  user_id: optionalText(),
  tenant_id: optionalText(),
  active: optionalBoolean,
  sm_operator_credentials: optionalObject({
    clientid: credential,
    clientsecret: credential,
    sm_url: credential,
    url: credential,
    xsappname: credential,
  }).transform((given) => given && sealed(given)),
  // Of the older Service Manager: only the operations of 2020 hand them on.
  sm_platform_credentials: optionalObject({
    url: credential,
    credentials: z.object({ basic: z.object({ username: credential, password: credential }) }),
  }).transform((given) => given && sealed(given)),
  commercial_model: optionalText(),
  license_type: optionalText(),
  origin: optionalText(),
  platform: optionalText(),
  region: optionalText(),
});
export type GivenContext = z.output<typeof contextSchema>;

const sealed = (credentials: SmOperatorCredentials | SmPlatformCredentials) =>
  new Secret(JSON.stringify(credentials));

/** Administers nothing: no identity provider knows a name below this domain. */
const unknownUser = 'unknown@platform.invalid';

type Places = {
  readonly organization_guid: string | undefined;
  readonly space_guid: string | undefined;
};

/** Organization and space stand in for the accounts of a platform that has none, and so they must be there. */
export function orderContext(
  given: GivenContext,
  { organization_guid, space_guid }: Places,
  originator: Originator | undefined,
): OrderContext {
  const { globalaccount_id, subaccount_id, user_id, ...others } = given ?? {};
  return {
    globalaccount_id: globalaccount_id ?? required('organization_guid', organization_guid),
    subaccount_id: subaccount_id ?? required('space_guid', space_guid),
    user_id: (user_id ?? originator?.user ?? unknownUser).toLowerCase(),
    ...present({ ...others, organization_guid, space_guid }),
  };
}

function required(name: keyof Places, value: string | undefined): string {
  if (value === undefined) throw new Refusal('MALFORMED_REQUEST', `${name} missing`);
  return value;
}

/** What an update may change. Who ordered the instance, and for whom, stays. */
const changeable = [
  'sm_operator_credentials',
  'commercial_model',
  'license_type',
  'origin',
  'platform',
  'region',
] as const satisfies readonly (keyof OrderContext)[];
export type ContextChange = Pick<OrderContext, (typeof changeable)[number]>;

export function contextChange(given: GivenContext): ContextChange {
  const { sm_operator_credentials, commercial_model, license_type, origin, platform, region } =
    given ?? {};
  const wanted = {
    sm_operator_credentials,
    commercial_model,
    license_type,
    origin,
    platform,
    region,
  };
  return present(wanted satisfies Record<(typeof changeable)[number], unknown>);
}

/** Without what is undefined. */
function present<Fields extends object>(fields: Fields) {
  const entries = Object.entries(fields).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as {
    [Name in keyof Fields]?: Exclude<Fields[Name], undefined>;
  };
}
