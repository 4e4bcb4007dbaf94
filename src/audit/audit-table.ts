import type { ClientBase, Pool } from 'pg';
import type { Act, AuditEntry, AuditHead } from './audit-entry.ts';

type Row = {
  readonly number: string;
  readonly at: Date;
  readonly actor: string;
  readonly client: string;
  readonly action: string;
  readonly subject: string;
  readonly outcome: string;
  readonly request_id: string;
  readonly details: string;
  readonly previous: string;
  readonly hash: string;
};

const columns =
  'number, at, actor, client, action, subject, outcome, request_id, details::text, previous, hash';

/** Appends them in this order, in one transaction, and returns the new head. */
export async function append(pool: Pool, acts: readonly Act[]): Promise<AuditHead> {
  const entries = acts.map((act) => ({
    actor: storable(act.actor),
    client: storable(act.client),
    action: storable(act.action),
    subject: storable(act.subject),
    outcome: String(act.outcome),
    request_id: storable(act.requestId),
    details: JSON.stringify(act.details ?? {}, (_name, value: unknown) =>
      typeof value === 'string' ? storable(value) : value,
    ),
  }));
  const { rows } = await pool.query<{ number: string; hash: string }>(
    'select number, hash from append_to_audit_log($1)',
    [JSON.stringify(entries)],
  );
  return headIn(rows);
}

const longest = 1_000;

/** PostgreSQL takes neither NUL nor half a character, and one act must not keep those of others from being stored. */
const storable = (text: string) =>
  text.slice(0, longest).replaceAll('\0', '\u{fffd}').toWellFormed();

export type AuditFilter = {
  readonly since?: Date | undefined;
  readonly until?: Date | undefined;
  readonly actor?: string | undefined;
  readonly action?: string | undefined;
  readonly subject?: string | undefined;
};

/** Newest first. An action is found by any part of it. */
export async function findEntries(
  pool: Pool,
  { since, until, actor, action, subject }: AuditFilter,
  { limit, offset }: { readonly limit: number; readonly offset: number },
): Promise<{ entries: AuditEntry[]; total: number }> {
  const wanted = `($1::timestamptz is null or at >= $1) and ($2::timestamptz is null or at < $2)
    and ($3::text is null or actor = $3) and ($4::text is null or strpos(lower(action), lower($4)) > 0)
    and ($5::text is null or subject = $5)`;
  const values = [since, until, actor, action, subject].map((value) => value ?? null);
  const { rows } = await pool.query<Row>(
    `select ${columns} from audit_log where ${wanted} order by number desc limit $6 offset $7`,
    [...values, limit, offset],
  );
  const counted = await pool.query<{ total: string }>(
    `select count(*) as total from audit_log where ${wanted}`,
    values,
  );
  return { entries: rows.map(entryOf), total: Number(counted.rows[0]?.total) };
}

export async function readHead(db: ClientBase | Pool): Promise<AuditHead> {
  const { rows } = await db.query<{ number: string; hash: string }>(
    'select number, hash from audit_head',
  );
  return headIn(rows);
}

const batch = 1_000;

/** All entries by number, a batch at a time: needs a transaction, and no more memory than a batch. */
export async function* everyEntry(db: ClientBase): AsyncGenerator<AuditEntry> {
  await db.query(
    `declare every_entry no scroll cursor for select ${columns} from audit_log order by number`,
  );
  for (;;) {
    const { rows } = await db.query<Row>(`fetch ${batch} from every_entry`);
    if (rows.length === 0) return;
    yield* rows.map(entryOf);
  }
}

const entryOf = ({ number, request_id: requestId, ...row }: Row): AuditEntry => ({
  ...row,
  number: Number(number),
  requestId,
});

function headIn([row]: readonly { readonly number: string; readonly hash: string }[]): AuditHead {
  if (!row) throw new Error('the audit log has no head');
  return { number: Number(row.number), hash: row.hash };
}
