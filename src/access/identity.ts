/** Who a request is from, as their token says. */
export type Identity = {
  readonly subject: string;
  /** The program that asks, for itself or for somebody. */
  readonly client: string;
  readonly scopes: readonly string[];
  readonly groups: readonly string[];
};

/** What an endpoint asks for: a scope, membership in one of some groups, or nothing at all. */
export type Right =
  { readonly scope: string } | { readonly anyGroupOf: readonly string[] } | 'everybody';

export function has(identity: Identity, right: Right): boolean {
  if (right === 'everybody') return true;
  if ('scope' in right) return identity.scopes.includes(right.scope);
  return right.anyGroupOf.some((group) => identity.groups.includes(group));
}
