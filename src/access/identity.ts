/** Who a request is from, as their token says. */
export type Identity = {
  readonly subject: string;
  /** The program that asks, for itself or for somebody. */
  readonly client: string;
  readonly scopes: readonly string[];
  readonly groups: readonly string[];
};

/** What an endpoint asks for: a scope, membership in one of some groups, any proof of who it is, or nothing at all. */
export type Right =
  | { readonly scope: string }
  | { readonly anyGroupOf: readonly string[] }
  | 'somebody'
  | 'everybody';

export function has(identity: Identity, right: Right): boolean {
  if (typeof right === 'string') return true;
  if ('scope' in right) return identity.scopes.includes(right.scope);
  return right.anyGroupOf.some((group) => identity.groups.includes(group));
}

export const inWords = (right: Right): string => {
  if (right === 'everybody') return 'nothing';
  if (right === 'somebody') return 'to say who you are';
  return 'scope' in right
    ? `the scope ${right.scope}`
    : `membership in ${right.anyGroupOf.join(' or ')}`;
};
