// Seals every stored secret with the current key, while everything else runs: node bin/rotate-secrets.ts <schema> …
import { bindingSecrets, instanceSecrets } from '#broker';
import { openDatabase, parseKeyring, rotateSecrets, type Database } from '#database';
import { secretColumns as provisionerSecrets } from '#provisioner';

/** Of all services: a schema has the tables of one of them. */
const columns = [
  { table: 'operations', key: 'id', column: 'facts' },
  ...instanceSecrets,
  ...bindingSecrets,
  ...provisionerSecrets,
];

async function columnsIn({ pool }: Database) {
  const { rows } = await pool.query<{ name: string }>(
    'select table_name as name from information_schema.tables where table_schema = current_schema()',
  );
  const tables = new Set(rows.map(({ name }) => name));
  return columns.filter(({ table }) => tables.has(table));
}

const schemas = process.argv.slice(2);
const { DATABASE_URL: url, DATA_DIR: dataDirectory, ENCRYPTION_KEYS: keys } = process.env;
if (schemas.length === 0 || !keys) {
  console.error(
    'usage: ENCRYPTION_KEYS=id:base64,… [DATABASE_URL=…] node bin/rotate-secrets.ts <schema> …',
  );
  process.exit(2);
}
const keyring = parseKeyring(keys);
let left = 0;
for (const schema of schemas) {
  await using database = await openDatabase({
    url,
    schema,
    ...(dataDirectory && { dataDirectory }),
  });
  const { rewritten, remaining } = await rotateSecrets(
    database,
    keyring,
    await columnsIn(database),
  );
  console.log(
    `${schema}: ${rewritten} rows rewritten with key ${keyring.current}, ${remaining} left`,
  );
  left += remaining;
}
process.exitCode = left > 0 ? 1 : 0;
