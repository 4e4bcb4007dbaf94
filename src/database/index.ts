// Everything that touches PostgreSQL as such: connections, the embedded server, transactions, migrations, and secrets
// at rest. Knows no table but its own `migrations`: what is stored, and every query on it, belongs to the other modules.

export { openDatabase, type Database, type DatabaseSettings } from './open-database.ts';
export { afterCommit, inSnapshot, inTransaction } from './transaction.ts';
export { isConnectionError } from './unavailable.ts';
export { defaultDataDirectory } from './data-directory.ts';
export { migrate } from './migrate.ts';
export { startEmbeddedPostgres, type EmbeddedPostgres } from './embedded-postgres.ts';
export { createKeyring, parseKeyring, type Keyring } from './keyring.ts';
export { openSecrets, sealSecrets, Secret } from './secret.ts';
export { rotateSecrets, type SecretColumn } from './rotate-secrets.ts';
