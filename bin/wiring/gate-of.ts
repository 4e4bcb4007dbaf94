import { basicCredentials, bearerTokens, gate, type Gate } from '#access';

type AccessConfig = {
  readonly AUTHENTICATION: 'on' | 'off';
  readonly OIDC_ISSUER_URL?: string | undefined;
  readonly OIDC_AUDIENCE: string;
  readonly BROKER_BASIC_USERNAME?: string | undefined;
  readonly BROKER_BASIC_PASSWORD?: string | undefined;
};

/** Who may come in, as the settings say. Undefined: everybody, because somebody has switched authentication off. */
export function gateOf(config: AccessConfig): Gate | undefined {
  if (config.AUTHENTICATION === 'off') return undefined;
  const { OIDC_ISSUER_URL: issuer, OIDC_AUDIENCE: audience } = config;
  const { BROKER_BASIC_USERNAME: username, BROKER_BASIC_PASSWORD: password } = config;
  return gate(
    ...(issuer === undefined ? [] : [bearerTokens({ issuer, audience })]),
    ...(username === undefined || password === undefined
      ? []
      : [basicCredentials({ username, password }, { scopes: ['broker:write'], groups: [] })]),
  );
}
