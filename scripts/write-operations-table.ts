// npm run operations: rewrites docs/operations.md from the registered operations, so that a review shows what changed.

import { writeFile } from 'node:fs/promises';
import { operationsTable, registeredOperations, tableFile } from '../tests/operations-table.ts';

await writeFile(tableFile, await operationsTable(await registeredOperations()));
