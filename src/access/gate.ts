import { AccessDenied } from './access-denied.ts';
import { has, inWords, type Identity, type Right } from './identity.ts';

/** One way to say who one is. */
export type Proof = {
  /** What a refused caller is told to bring. */
  readonly challenge: string;
  /** Undefined if this is not the way that the caller has chosen; the scheme is in lower case. */
  readonly identify: (scheme: string, value: string) => Promise<Identity | undefined>;
};

/** Lets a request in, or throws AccessDenied. Undefined is somebody whom nobody asked for a name. */
export type Gate = {
  readonly challenges: readonly string[];
  readonly admit: (
    authorization: string | undefined,
    right: Right,
  ) => Promise<Identity | undefined>;
};

/** Whoever brings one of these proofs, and has the right. Without any proof to bring, nobody gets in. */
export function gate(...proofs: readonly Proof[]): Gate {
  const challenges = proofs.map(({ challenge }) => challenge);
  return {
    challenges,
    async admit(authorization, right) {
      try {
        return await admitted(proofs, authorization, right);
      } catch (error) {
        if (error instanceof AccessDenied && error.status === 401) error.challenges = challenges;
        throw error;
      }
    },
  };
}

async function admitted(
  proofs: readonly Proof[],
  authorization: string | undefined,
  right: Right,
): Promise<Identity | undefined> {
  if (right === 'everybody') return undefined;
  const [scheme = '', value = '', ...more] = (authorization ?? '').split(' ');
  if (scheme === '') throw new AccessDenied(401, 'no_credentials', 'credentials are needed');
  if (value === '' || more.length > 0)
    throw new AccessDenied(401, 'malformed', 'the credentials cannot be read');
  for (const { identify } of proofs) {
    const identity = await identify(scheme.toLowerCase(), value);
    if (!identity) continue;
    if (has(identity, right)) return identity;
    throw new AccessDenied(403, 'missing_right', `this needs ${inWords(right)}`, { identity });
  }
  throw new AccessDenied(401, 'scheme', `${scheme} is no way to say who you are here`);
}
