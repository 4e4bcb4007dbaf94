// npm run metrics: rewrites docs/metrics.md from what both services register, so that a review shows what changed.

import { writeFile } from 'node:fs/promises';
import { metricsFile, metricsTable, registeredMetrics } from '../tests/metrics-table.ts';

await writeFile(metricsFile, await metricsTable(await registeredMetrics()));
