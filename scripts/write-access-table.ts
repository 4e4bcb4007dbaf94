// npm run access: rewrites docs/access.md from what both services serve, so that a review shows what changed.

import { writeFile } from 'node:fs/promises';
import { accessTable, everyPlace, tableFile } from '../tests/security/access-table.ts';

await writeFile(tableFile, await accessTable(await everyPlace()));
