import { generateKeyPairSync, randomUUID, type KeyObject } from 'node:crypto';
import { compactVerify, SignJWT, type JWK, type JWTPayload } from 'jose';

export const algorithm = 'ES256';

type Key = { readonly id: string; readonly privateKey: KeyObject; readonly publicKey: KeyObject };

/** The key that signs, and the one before it, so that what it signed stays valid when keys rotate. */
export class SigningKeys {
  #current = newKey();
  #previous: Key | undefined;

  rotate(): void {
    this.#previous = this.#current;
    this.#current = newKey();
  }

  get ids(): string[] {
    return this.#published.map(({ id }) => id);
  }

  /** The public halves, as verifiers fetch them. */
  jwks(): { keys: JWK[] } {
    return {
      keys: this.#published.map(({ id, publicKey }) => ({
        ...publicKey.export({ format: 'jwk' }),
        kid: id,
        alg: algorithm,
        use: 'sig',
      })),
    };
  }

  sign(claims: JWTPayload, type: 'at+jwt' | 'JWT'): Promise<string> {
    return new SignJWT(claims)
      .setProtectedHeader({ alg: algorithm, kid: this.#current.id, typ: type })
      .sign(this.#current.privateKey);
  }

  /** What this issuer once said, expired or not; undefined if it was somebody else. */
  async claimsOf(token: string): Promise<JWTPayload | undefined> {
    try {
      const { payload } = await compactVerify(
        token,
        ({ kid }) => {
          const key = this.#published.find(({ id }) => id === kid);
          if (!key) throw new Error('signed with a key that is not published');
          return key.publicKey;
        },
        { algorithms: [algorithm] },
      );
      return JSON.parse(new TextDecoder().decode(payload)) as JWTPayload; // ours: it bears our signature
    } catch {
      return undefined;
    }
  }

  get #published(): Key[] {
    return this.#previous ? [this.#current, this.#previous] : [this.#current];
  }
}

const newKey = (): Key => ({
  id: randomUUID(),
  ...generateKeyPairSync('ec', { namedCurve: 'P-256' }),
});
