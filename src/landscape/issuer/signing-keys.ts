import {
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  randomUUID,
  type KeyObject,
} from 'node:crypto';
import { compactVerify, SignJWT, type JWK, type JWTPayload } from 'jose';
import type { KeptState } from '../kept-state.ts';

export const algorithm = 'ES256';

type Key = {
  readonly id: string;
  readonly privateKey: KeyObject;
  readonly publicKey: KeyObject;
  /** Unless it was there from the start. */
  readonly askedBy?: string;
};
type SavedKey = { readonly id: string; readonly pem: string; readonly askedBy?: string };

/** The key that signs, and the one before it, so that what it signed stays valid when keys rotate. */
export class SigningKeys {
  #current = newKey();
  #previous: Key | undefined;

  rotate(askedBy: string): void {
    this.#previous = this.#current;
    this.#current = { ...newKey(), askedBy };
  }

  readonly state: KeptState = {
    save: () =>
      this.#published.map(({ publicKey: _publicKey, privateKey, ...key }) => ({
        ...key,
        pem: privateKey.export({ type: 'pkcs8', format: 'pem' }),
      })),
    restore: (saved) => {
      const [current, previous] = (saved as readonly SavedKey[]).map(keyFrom);
      this.#current = current ?? this.#current;
      this.#previous = previous;
    },
  };

  /** Without the keys themselves. */
  list(): { id: string; askedBy?: string }[] {
    return this.#published.map(({ privateKey: _private, publicKey: _public, ...key }) => key);
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

const keyFrom = ({ pem, ...key }: SavedKey): Key => {
  const privateKey = createPrivateKey(pem);
  return { ...key, privateKey, publicKey: createPublicKey(privateKey) };
};

const newKey = (): Key => ({
  id: randomUUID(),
  ...generateKeyPairSync('ec', { namedCurve: 'P-256' }),
});
