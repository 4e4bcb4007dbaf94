// npm run systems: rewrites docs/systems.md from the contracts with the outside systems, so that a review shows what changed.

import { writeFile } from 'node:fs/promises';
import { systemsTable, tableFile } from '../tests/systems/table.ts';

await writeFile(tableFile, await systemsTable());
