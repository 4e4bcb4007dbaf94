import { createCipheriv, createDecipheriv, createSecretKey, randomBytes } from 'node:crypto';

/**
 * Encrypts text with AES-256-GCM. Sealed text reads `keyId:base64url(iv | tag | ciphertext)`. The context is bound to
 * it (additional authenticated data): what was sealed for one row cannot be opened as another's.
 */
export type Keyring = {
  /** The id of the key that seals; the others only open what was sealed before. */
  readonly current: string;
  readonly seal: (plain: string, context: string) => string;
  readonly open: (sealed: string, context: string) => string;
  readonly keyIdOf: (sealed: string) => string;
};

const keyLength = 32;
const ivLength = 12;
const tagLength = 16;
// Shorter than a key in base64, so that a key in the place of an id is never taken for one and shown in a message.
const keyIdPattern = /^[A-Za-z0-9_.-]{1,32}$/;

export function createKeyring(settings: {
  readonly current: string;
  readonly keys: Readonly<Record<string, Uint8Array>>;
}): Keyring {
  const { current } = settings;
  // In a closure and as KeyObjects: no inspection or serialisation of a keyring reaches the keys.
  const keys = new Map(
    Object.entries(settings.keys).map(([id, key]) => {
      if (!keyIdPattern.test(id))
        throw new Error('a key id is 1 to 32 of the characters A-Z a-z 0-9 _ . -');
      if (key.length !== keyLength)
        throw new Error(`key "${id}" has ${key.length} bytes, not ${keyLength}`);
      return [id, createSecretKey(key)];
    }),
  );
  const keyOf = (id: string) => {
    const key = keys.get(id);
    if (!key) throw new Error(`the keyring has no key "${id}"`);
    return key;
  };
  keyOf(current);

  return {
    current,
    keyIdOf,
    seal(plain, context) {
      const iv = randomBytes(ivLength);
      const cipher = createCipheriv('aes-256-gcm', keyOf(current), iv).setAAD(Buffer.from(context));
      const ciphertext = Buffer.concat([cipher.update(plain, 'utf8'), cipher.final()]);
      return `${current}:${Buffer.concat([iv, cipher.getAuthTag(), ciphertext]).toString('base64url')}`;
    },
    open(sealed, context) {
      const id = keyIdOf(sealed);
      const key = keyOf(id);
      const bytes = Buffer.from(sealed.slice(id.length + 1), 'base64url');
      const [iv, tag] = [
        bytes.subarray(0, ivLength),
        bytes.subarray(ivLength, ivLength + tagLength),
      ];
      try {
        const decipher = createDecipheriv('aes-256-gcm', key, iv, { authTagLength: tagLength });
        decipher.setAAD(Buffer.from(context)).setAuthTag(tag);
        const ciphertext = bytes.subarray(ivLength + tagLength);
        return Buffer.concat([decipher.update(ciphertext), decipher.final()]).toString('utf8');
      } catch (cause) {
        throw new Error(
          `cannot open what was sealed with key "${id}": altered, of another context, or another key`,
          {
            cause,
          },
        );
      }
    },
  };
}

/** Reads `id:base64,id2:base64`, as in the setting ENCRYPTION_KEYS. The first is the current key. */
export function parseKeyring(text: string): Keyring {
  const keys: Record<string, Uint8Array> = {};
  for (const [index, entry] of text.split(',').entries()) {
    const [id = '', encoded = '', ...rest] = entry.trim().split(':');
    const position = `encryption key ${index + 1}`;
    if (!keyIdPattern.test(id) || rest.length > 0)
      throw new Error(`${position} does not read id:base64`);
    if (Object.hasOwn(keys, id)) throw new Error(`${position} has the id "${id}" again`);
    const key = Buffer.from(encoded, 'base64');
    if (!/^[A-Za-z0-9+/_-]+=*$/.test(encoded) || key.length !== keyLength) {
      throw new Error(`${position}, "${id}", is not ${keyLength} bytes in base64`);
    }
    keys[id] = key;
  }
  return createKeyring({ current: Object.keys(keys)[0] ?? '', keys });
}

function keyIdOf(sealed: string): string {
  const id = sealed.slice(0, Math.max(0, sealed.indexOf(':')));
  if (!keyIdPattern.test(id))
    throw new Error('this text is not sealed: it does not begin with a key id');
  return id;
}
