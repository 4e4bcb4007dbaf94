import { createHash, timingSafeEqual } from 'node:crypto';
import { AccessDenied } from './access-denied.ts';
import type { Proof } from './gate.ts';
import type { Identity } from './identity.ts';

/** One user name and password, as platforms send them that know no tokens. */
export function basicCredentials(
  credentials: { readonly username: string; readonly password: string },
  rights: Pick<Identity, 'scopes' | 'groups'>,
): Proof {
  const expected = digest(`${credentials.username}:${credentials.password}`);
  return {
    challenge: 'Basic realm="broker"',
    async identify(scheme, value) {
      if (scheme !== 'basic') return undefined;
      const given = digest(Buffer.from(value, 'base64').toString('utf8'));
      if (!timingSafeEqual(given, expected))
        throw new AccessDenied(401, 'credentials', 'the user name or the password is wrong');
      const { username } = credentials;
      return { subject: username, client: username, ...rights };
    },
  };
}

/** Of equal length, as the comparison needs it. */
const digest = (text: string) => createHash('sha256').update(text).digest();
