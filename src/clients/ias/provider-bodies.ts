import type { ServiceProvider } from './company.ts';
import type { ServiceProviderKind } from './service-provider-kinds.ts';

/** What a login tells of a person, and where that comes from. */
const requiredAttributes = [
  ['first_name', 'firstName'],
  ['last_name', 'lastName'],
  ['email', 'mail'],
  ['groups', 'companyGroups'],
] as const;

/** What somebody has set by hand for one of these stays; all other attributes go. */
export const attributesBody = (present: ServiceProvider['assertionAttributes']): object => ({
  assertion_attributes: requiredAttributes.map(
    ([assertionAttribute, userAttribute]) =>
      present.find((each) => each.assertionAttribute === assertionAttribute) ?? {
        assertionAttribute,
        userAttribute,
      },
  ),
});

export const subjectBody = { name_id_attribute: 'mail' };

export const accessRulesBody = ({ groups }: Pick<ServiceProviderKind, 'groups'>): object => ({
  service_provider: {
    rba_config: {
      rba_rules: groups.map((group) => ({ action: 'Allow', group, group_type: 'Cloud' })),
      default_action: 'Deny',
    },
  },
});

export function signOnBody(
  { signOn, returnPath }: Pick<ServiceProviderKind, 'signOn' | 'returnPath'>,
  host: string,
): object {
  const location = `https://${host}${returnPath}`;
  switch (signOn) {
    case 'openIdConnect':
      return {
        ssoType: 'openIdConnect',
        sp_name: host,
        openId_connect_configuration: { redirect_uris: [location] },
      };
    case 'saml':
      return { sp_name: host, acs_endpoints: [{ location, isDefault: true, index: 0 }] };
  }
}

export const newSecretBody = {
  description: 'SAP Kyma Runtime Secret',
  scopes: ['ManageApp', 'ManageUsers', 'OAuth'],
};
