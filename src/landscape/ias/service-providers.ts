import { randomBytes, randomUUID } from 'node:crypto';
import { z } from 'zod';
import type { Milliseconds } from '#time';

const Attribute = z.strictObject({ assertionAttribute: z.string(), userAttribute: z.string() });
const AccessRules = z.strictObject({
  rba_rules: z.array(
    z.strictObject({ action: z.string(), group: z.string(), group_type: z.string() }),
  ),
  default_action: z.string(),
});

/** `PUT /service/sps/:id`: any part of the configuration. */
export const Change = z.strictObject({
  ssoType: z.enum(['openIdConnect', 'saml2']).optional(),
  sp_name: z.string().min(1).optional(),
  openId_connect_configuration: z
    .strictObject({
      redirect_uris: z.array(z.url()),
      post_logout_redirect_uris: z.array(z.url()).optional(),
    })
    .optional(),
  acs_endpoints: z
    .array(z.strictObject({ location: z.url(), isDefault: z.boolean(), index: z.int() }))
    .optional(),
  assertion_attributes: z.array(Attribute).optional(),
  name_id_attribute: z.string().optional(),
});

/** `PUT /service/sps/:id/rba`. */
export const RuleChange = z.strictObject({
  service_provider: z.strictObject({ rba_config: AccessRules }),
});

/** `PUT /service/sps`: one path for two things. */
export const Assignment = z.union([
  z.strictObject({ organization: z.string(), id: z.string(), default_auth_idp: z.url() }),
  z.strictObject({
    organization: z.string(),
    id: z.string(),
    rest_api_client_secret: z.strictObject({
      description: z.string(),
      scopes: z.array(z.string()),
    }),
  }),
]);

/** `DELETE /service/sps/clientSecret`. */
export const SecretRemoval = z.strictObject({
  clientId: z.string(),
  clientSecretsIds: z.array(z.string()),
});

export type ServiceProvider = {
  readonly id: string;
  readonly displayName: string;
  readonly visibleFrom: Milliseconds;
  readonly userForRest: string;
  configuration: z.infer<typeof Change>;
  rules: z.infer<typeof AccessRules>;
  identityProvider?: string;
  secrets: { clientSecretId: string; description: string; scopes: string[] }[];
  readonly askedBy: string;
};

export const newServiceProvider = (
  displayName: string,
  visibleFrom: Milliseconds,
  askedBy: string,
): ServiceProvider => ({
  id: randomBytes(12).toString('hex'),
  displayName,
  visibleFrom,
  userForRest: randomUUID(),
  configuration: {},
  rules: { rba_rules: [], default_action: 'Allow' },
  secrets: [],
  askedBy,
});

/** As it stands in the company's document. */
export const entryFor = ({ configuration, ...provider }: ServiceProvider) => ({
  id: provider.id,
  display_name: provider.displayName,
  assertion_attributes: configuration.assertion_attributes ?? [],
  default_attributes: [],
  organization: 'global',
  ssoType: configuration.ssoType ?? 'saml2',
  redirect_uris: configuration.openId_connect_configuration?.redirect_uris ?? [],
  name_id_attribute: configuration.name_id_attribute ?? 'uid',
  rba_config: provider.rules,
  ...(provider.identityProvider && { authenticatingIdp: { id: provider.identityProvider } }),
  clientSecrets: provider.secrets,
  acs_endpoints: configuration.acs_endpoints ?? [],
  userForRest: provider.userForRest,
});

/** What exists, without ids that only a login needs. */
export const inventoryFor = (provider: ServiceProvider) => {
  const { configuration, rules, secrets } = provider;
  return {
    id: provider.id,
    name: provider.displayName,
    ssoType: configuration.ssoType ?? 'saml2',
    returnsTo: [
      ...(configuration.openId_connect_configuration?.redirect_uris ?? []),
      ...(configuration.acs_endpoints ?? []).map(({ location }) => location),
    ],
    attributes: Object.fromEntries(
      (configuration.assertion_attributes ?? []).map((each) => [
        each.assertionAttribute,
        each.userAttribute,
      ]),
    ),
    subject: configuration.name_id_attribute ?? 'uid',
    identityProvider: provider.identityProvider ?? null,
    letsIn: rules.rba_rules.map(({ group }) => group),
    letsInOthers: rules.default_action === 'Allow',
    secrets: secrets.length,
    askedBy: provider.askedBy,
  };
};
