import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { metricsFile, metricsTable } from './metrics-table.ts';

test('docs/metrics.md tells every metric that is served', async () => {
  assert.equal(
    await metricsTable(),
    await readFile(metricsFile, 'utf8'),
    'a metric changed: run "npm run metrics" and review the difference',
  );
});
