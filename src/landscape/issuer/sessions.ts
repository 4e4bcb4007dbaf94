import { randomBytes, randomUUID } from 'node:crypto';
import { days, type Milliseconds } from '#time';
import type { Client, User } from './demo-accounts.ts';
import { keeping, type KeptState } from '../kept-state.ts';
import { ExpiringMap } from './expiring-map.ts';

/** A user who has allowed a client something, until it ends. */
export type Session = {
  readonly id: string;
  readonly user: User;
  readonly client: Client;
  readonly scopes: readonly string[];
  readonly startedAt: Milliseconds;
  readonly askedBy: string;
};

const lifetime = days(1);

export class Sessions {
  readonly #caller: () => string;
  readonly #open: ExpiringMap<Session>;
  readonly #refreshTokens: ExpiringMap<{ readonly sessionId: string; used: boolean }>;
  readonly state: KeptState;

  constructor(now: () => Milliseconds, caller: () => string) {
    this.#caller = caller;
    this.#open = new ExpiringMap(now);
    this.#refreshTokens = new ExpiringMap(now);
    this.state = keeping({ open: this.#open, refreshTokens: this.#refreshTokens });
  }

  begin(user: User, client: Client, scopes: readonly string[]): Session {
    const id = randomUUID();
    const askedBy = this.#caller();
    const session = { id, user, client, scopes, startedAt: Date.now(), askedBy };
    this.#open.set(session.id, session, lifetime);
    return session;
  }

  end(id: string): void {
    this.#open.delete(id);
  }

  isOpen = ({ id }: Session): boolean => this.#open.get(id) !== undefined;

  list(): Session[] {
    return this.#open.values();
  }

  newRefreshToken({ id }: Session): string {
    const token = secretText();
    this.#refreshTokens.set(token, { sessionId: id, used: false }, lifetime);
    return token;
  }

  /** Good for one use. A second one means that it was stolen, so the session ends. */
  useRefreshToken(token: string, client: Client): Session | undefined {
    const found = this.#refreshTokens.get(token);
    const session = found && this.#open.get(found.sessionId);
    if (!found || session?.client.id !== client.id) return undefined;
    if (found.used) {
      this.end(session.id);
      return undefined;
    }
    found.used = true;
    return session;
  }
}

/** Codes and tokens that nobody can guess. */
export const secretText = (): string => randomBytes(32).toString('base64url');
