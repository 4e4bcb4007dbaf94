import { shortened } from './invalid-parameters.ts';
import type { OidcParameter } from './parameter-definitions.ts';

const algorithms = [
  'RS256',
  'RS384',
  'RS512',
  'ES256',
  'ES384',
  'ES512',
  'PS256',
  'PS384',
  'PS512',
];

/** An object with nothing in it asks for nothing. */
export function saysNothing(oidc: OidcParameter): boolean {
  return Object.values(oidc).every((value) => value.length === 0);
}

export function oidcProblems(oidc: OidcParameter): string[] {
  if (saysNothing(oidc)) return [];
  const { clientID, issuerURL, signingAlgs = [] } = oidc;
  const unknown = signingAlgs.filter((name) => !algorithms.includes(name));
  return [
    ...(clientID ? [] : ['clientID must not be empty']),
    ...(issuerURL ? issuerProblems(issuerURL) : ['issuerURL must not be empty']),
    ...(unknown.length === 0
      ? []
      : [
          `signingAlgs must contain valid signing algorithm(s) (got ${shortened(unknown)}, allowed: ${algorithms.join(', ')})`,
        ]),
  ];
}

function issuerProblems(issuerURL: string): string[] {
  const url = URL.parse(issuerURL);
  const got = ` (got ${shortened(issuerURL)})`;
  if (!url?.host) return [`issuerURL must be a valid URL${got}`];
  if (url.protocol !== 'https:') return [`issuerURL must have https scheme${got}`];
  return [];
}
