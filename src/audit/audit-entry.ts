import { createHash } from 'node:crypto';

/** What somebody did, or tried to do. */
export type Act = {
  /** Who: the subject of their token. */
  readonly actor: string;
  /** The program that they used. */
  readonly client: string;
  /** As the endpoint is called: `POST /operations/:operationId/retry`. */
  readonly action: string;
  /** On what: mostly an id. */
  readonly subject: string;
  /** The status of the answer. `asked`: what follows has not been done yet. */
  readonly outcome: number | 'asked';
  readonly requestId: string;
  /** Names of fields, never their values: some are credentials. */
  readonly details?: Details;
};

export type Details = Readonly<Record<string, string | readonly string[]>>;

/** An act as it is stored. */
export type AuditEntry = {
  readonly number: number;
  readonly at: Date;
  readonly actor: string;
  readonly client: string;
  readonly action: string;
  readonly subject: string;
  readonly outcome: string;
  readonly requestId: string;
  /** JSON, as it was written. */
  readonly details: string;
  /** The hash of the entry before. */
  readonly previous: string;
  readonly hash: string;
};

/** Where the chain ends. Whoever notes it elsewhere can tell later whether the log before it is still the same. */
export type AuditHead = { readonly number: number; readonly hash: string };

/** What comes before the first entry. */
export const beginning: AuditHead = { number: 0, hash: '0'.repeat(64) };

/** The same as in `append_to_audit_log`, found out anew: what the database says of itself is no proof. */
export function hashOf(entry: Omit<AuditEntry, 'hash'>): string {
  const parts = [
    entry.previous,
    String(entry.number),
    entry.at.toISOString(),
    entry.actor,
    entry.client,
    entry.action,
    entry.subject,
    entry.outcome,
    entry.requestId,
    entry.details,
  ];
  const content = parts.map((part) => `${Buffer.byteLength(part)}:${part}`).join('');
  return createHash('sha256').update(content).digest('hex');
}
