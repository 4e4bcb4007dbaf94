// npm run schema: rewrites migrations/schema.sql from the migrations, so that a review shows what a migration did.

import { writeFile } from 'node:fs/promises';
import { migratedSchema, schemaFile } from '../tests/migrated-schema.ts';

await writeFile(schemaFile, await migratedSchema());
