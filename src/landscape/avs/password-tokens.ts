import { randomUUID } from 'node:crypto';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { seconds } from '#time';
import { keeping } from '../kept-state.ts';
import type { SimulatedTime } from '../simulated-time.ts';
import { basicOf } from '../tokens.ts';

const lifetime = seconds(3600);

/** Tokens for a user's name and password, brought by a client that has an id and no secret. */
export class PasswordTokens {
  readonly #time: SimulatedTime;
  readonly #validUntil = new Map<string, number>();
  readonly state = keeping({ validUntil: this.#validUntil });

  constructor(time: SimulatedTime) {
    this.#time = time;
  }

  serve(app: FastifyInstance, path: string): void {
    app.post(path, async (request, reply) => {
      const [client, secret] = basicOf(request) ?? [];
      if (!client || secret !== '') return reply.code(401).send({ error: 'invalid_client' });
      const form = new URLSearchParams(typeof request.body === 'string' ? request.body : '');
      if (form.get('grant_type') !== 'password')
        return reply.code(400).send({ error: 'unsupported_grant_type' });
      // Any user will do: there are no accounts to set up in a simulator.
      if (!form.get('username') || !form.get('password'))
        return reply.code(400).send({ error: 'invalid_grant' });
      this.#forgetExpired();
      const token = randomUUID();
      this.#validUntil.set(token, this.#time.now() + lifetime);
      return { access_token: token, token_type: 'bearer', expires_in: lifetime / seconds(1) };
    });
  }

  /** The oldest come first. */
  #forgetExpired(): void {
    for (const [token, until] of this.#validUntil) {
      if (until > this.#time.now()) return;
      this.#validUntil.delete(token);
    }
  }

  /** A hook for routes that need a token. */
  check = async (
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<FastifyReply | undefined> => {
    const [type, token = ''] = (request.headers.authorization ?? '').split(' ');
    const until = type === 'Bearer' ? this.#validUntil.get(token) : undefined;
    if (until !== undefined && until > this.#time.now()) return undefined;
    return reply
      .code(401)
      .send({ statusCode: 401, status: 'UNAUTHORIZED', message: 'invalid token' });
  };
}
