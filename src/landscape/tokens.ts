import { randomUUID } from 'node:crypto';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { seconds } from '#time';
import { keeping } from './kept-state.ts';
import type { SimulatedTime } from './simulated-time.ts';

/** Opaque tokens of one system's token endpoint, for those who bring the right credentials. */
export class Tokens {
  readonly #time: SimulatedTime;
  readonly #isKnown: (id: string, secret: string) => boolean;
  readonly #valid = new Map<string, number>();
  readonly state = keeping({ valid: this.#valid });
  /** How many were issued: a client that caches asks rarely. */
  issued = 0;
  lifetime = seconds(3600);
  acceptsBasic = true;

  constructor(time: SimulatedTime, isKnown: (id: string, secret: string) => boolean) {
    this.#time = time;
    this.#isKnown = isKnown;
  }

  revokeAll(): void {
    this.#valid.clear();
  }

  /** `POST <path>`, client credentials in HTTP Basic (form-encoded, RFC 6749) or in the body. */
  serve(app: FastifyInstance, path: string): void {
    app.post(path, async (request, reply) => {
      const form = new URLSearchParams(typeof request.body === 'string' ? request.body : '');
      const basic = this.acceptsBasic ? basicOf(request) : undefined;
      const [id, secret] = basic ?? [form.get('client_id') ?? '', form.get('client_secret') ?? ''];
      if (form.get('grant_type') !== 'client_credentials')
        return reply.code(400).send({ error: 'unsupported_grant_type' });
      if (!this.#isKnown(id, secret)) return reply.code(401).send({ error: 'invalid_client' });
      this.#forgetExpired();
      const token = randomUUID();
      this.issued += 1;
      this.#valid.set(token, this.#time.now() + this.lifetime);
      return { access_token: token, token_type: 'bearer', expires_in: this.lifetime / seconds(1) };
    });
  }

  /** The oldest come first. */
  #forgetExpired(): void {
    for (const [token, expiresAt] of this.#valid) {
      if (expiresAt > this.#time.now()) return;
      this.#valid.delete(token);
    }
  }

  /** A hook for routes that need a token. */
  check = async (
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<FastifyReply | undefined> => {
    const [type, token = ''] = (request.headers.authorization ?? '').split(' ');
    const expiresAt = type === 'Bearer' ? this.#valid.get(token) : undefined;
    if (expiresAt !== undefined && expiresAt > this.#time.now()) return undefined;
    return reply.code(401).send({ error: 'invalid_token' });
  };
}

/** Id and secret of HTTP Basic, form-encoded (RFC 6749) or as they are: real servers meet both. */
export function basicOf({ headers }: FastifyRequest): [id: string, secret: string] | undefined {
  const [type, value = ''] = (headers.authorization ?? '').split(' ');
  if (type?.toLowerCase() !== 'basic') return undefined;
  const text = Buffer.from(value, 'base64').toString('utf8');
  const colon = text.includes(':') ? text.indexOf(':') : text.length;
  return [decoded(text.slice(0, colon)), decoded(text.slice(colon + 1))];
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
