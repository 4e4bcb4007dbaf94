// Seals every stored secret with the current key, while everything else runs: node bin/rotate-secrets.ts <schema> …
import { openDatabase, parseKeyring, rotateSecrets } from '#database';

const columns = [{ table: 'operations', key: 'id', column: 'facts' }];

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
  const { rewritten, remaining } = await rotateSecrets(database, keyring, columns);
  console.log(
    `${schema}: ${rewritten} rows rewritten with key ${keyring.current}, ${remaining} left`,
  );
  left += remaining;
}
process.exitCode = left > 0 ? 1 : 0;
