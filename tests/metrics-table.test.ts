import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { before, test } from 'node:test';
import { documentedMetrics } from './documented-metrics.ts';
import {
  metricsFile,
  metricsTable,
  registeredMetrics,
  type RegisteredMetrics,
} from './metrics-table.ts';

let registered: RegisteredMetrics;
before(async () => {
  registered = await registeredMetrics();
});

test('docs/metrics.md tells every metric that is served', async () => {
  assert.equal(
    await metricsTable(registered),
    await readFile(metricsFile, 'utf8'),
    'a metric changed: run "npm run metrics" and review the difference',
  );
});

test('the broker serves every metric of the founding documents, with its type, labels and buckets', () => {
  const served = new Map(registered.Broker.map((metric) => [metric.name, metric]));
  const found = documentedMetrics.map(({ name, buckets }) => {
    const { type, labelNames = [], upperBounds } = served.get(name) ?? {};
    return { name, type, labels: labelNames.toSorted(), ...(buckets && { buckets: upperBounds }) };
  });
  const expected = documentedMetrics.map((metric) => ({
    ...metric,
    labels: metric.labels.toSorted(),
  }));
  assert.deepEqual(found, expected);
  assert.equal(new Set(documentedMetrics.map(({ name }) => name)).size, documentedMetrics.length);
});
