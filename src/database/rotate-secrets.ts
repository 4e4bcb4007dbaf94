import pg from 'pg';
import type { Keyring } from './keyring.ts';

/** A jsonb column with sealed secrets in it. The context of a row's secrets is the text of its key column. */
export type SecretColumn = {
  readonly table: string;
  /** Unique, a uuid or a text. */
  readonly key: string;
  readonly column: string;
};

export type Rotation = {
  readonly rewritten: number;
  /** Rows that still have a secret of another key: written meanwhile by those who have not yet the new one. */
  readonly remaining: number;
};

/**
 * Seals again, with the keyring's current key, every secret that another key sealed. Runs beside those who read and
 * write the tables: in small steps, and a row that changes in between is left as it is and tried again.
 */
export async function rotateSecrets(
  database: { readonly pool: pg.Pool },
  keyring: Keyring,
  columns: readonly SecretColumn[],
  { batch = 100 }: { readonly batch?: number } = {},
): Promise<Rotation> {
  let rewritten = 0;
  let remaining = 0;
  for (const column of columns) {
    const table = secretTable(database.pool, column, outdatedPattern(keyring.current));
    let last: string | undefined;
    for (;;) {
      const rows = await table.outdatedRows(last, batch);
      for (const row of rows) if (await rewrite(table, row, keyring)) rewritten += 1;
      last = rows.at(-1)?.key;
      if (rows.length < batch) break;
    }
    remaining += await table.countOutdated();
  }
  return { rewritten, remaining };
}

type Row = { readonly key: string; readonly value: string };

// More often than any writer wins against us by chance; what is left then counts as remaining.
const attempts = 20;

async function rewrite(table: SecretTable, row: Row, keyring: Keyring): Promise<boolean> {
  let found: Row | undefined = row;
  for (let attempt = 0; found && attempt < attempts; attempt += 1) {
    const { key, value } = found;
    const renewed = renew(table, found, keyring);
    if (renewed === value) return false; // Somebody else did it.
    if (await table.replace(key, value, renewed)) return true;
    found = await table.row(key);
  }
  return false;
}

function renew(table: SecretTable, { key, value }: Row, keyring: Keyring): string {
  try {
    return value.replaceAll(sealedInText, (_, before: string, sealed: string) => {
      const isCurrent = keyring.keyIdOf(sealed) === keyring.current;
      return before + (isCurrent ? sealed : keyring.seal(keyring.open(sealed, key), key));
    });
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new Error(`cannot renew the secrets of ${key} in ${table.name}: ${reason}`, { cause });
  }
}

// Secrets are replaced in the text of the jsonb value, so that all else (numbers beyond the reach of JavaScript, too)
// stays as it is. PostgreSQL writes such text in one way only, and quotes within a string always have a backslash.
const sealedInText = /(?<!\\)("\$secret": ")([^"\\]*)/g;
const outdatedPattern = (keyId: string): string =>
  String.raw`(?<!\\)"\$secret": "(?!${keyId.replaceAll('.', String.raw`\.`)}:)`;

type SecretTable = ReturnType<typeof secretTable>;

function secretTable(pool: pg.Pool, names: SecretColumn, pattern: string) {
  const [table, key, column] = [names.table, names.key, names.column].map((name) =>
    pg.escapeIdentifier(name),
  );
  const select = `select ${key}::text as key, ${column}::text as value from ${table}`;
  return {
    name: names.table,
    async outdatedRows(after: string | undefined, limit: number): Promise<Row[]> {
      const { rows } =
        after === undefined
          ? await pool.query<Row>(`${select} where ${column}::text ~ $2 order by ${key} limit $1`, [
              limit,
              pattern,
            ])
          : await pool.query<Row>(
              `${select} where ${column}::text ~ $2 and ${key} > $3 order by ${key} limit $1`,
              [limit, pattern, after],
            );
      return rows;
    },
    async row(id: string): Promise<Row | undefined> {
      const { rows } = await pool.query<Row>(`${select} where ${key} = $1`, [id]);
      return rows[0];
    },
    async replace(id: string, old: string, renewed: string): Promise<boolean> {
      const { rowCount } = await pool.query(
        `update ${table} set ${column} = $3::jsonb where ${key} = $1 and ${column} = $2::jsonb`,
        [id, old, renewed],
      );
      return rowCount === 1;
    },
    async countOutdated(): Promise<number> {
      const { rows } = await pool.query<{ count: number }>(
        `select count(*)::int as count from ${table} where ${column}::text ~ $1`,
        [pattern],
      );
      return rows[0]?.count ?? 0;
    },
  };
}
