import { join } from 'node:path';
import { format } from 'prettier';
import { Registry } from 'prom-client';
import { clientMetrics } from '#clients';
import { startApi } from '../src/broker/api/testing.ts';
import { startProvisioner } from '../src/provisioner/testing.ts';

/** What is kept under version control. */
export const metricsFile = join(import.meta.dirname, '../docs/metrics.md');

const introduction = `# Metrics

What \`GET /metrics\` of both services tells, in the format of Prometheus. Written by \`npm run metrics\` from what the services
register; do not edit. Besides these each serves what its process tells: \`process_…\` and \`nodejs_…\`.

Names that begin with \`compass_keb_\` and \`kcp_keb_v2_\` are those that dashboards of this broker's kind know; the others are our
own. Counters, histograms and what says _this process_ are of one replica: sum them up. All other gauges are counted in the
database, and every replica tells the same: take one of them, or the maximum. Breakers are each replica's own. Lists by account, instance or operation are cut off at their largest or newest
entries.
`;

type Registered = {
  readonly name: string;
  readonly help: string;
  readonly type: string;
  readonly labelNames: readonly string[];
};

/** docs/metrics.md as it should be. */
export async function metricsTable(): Promise<string> {
  const registries = { Broker: new Registry(), Provisioner: new Registry() };
  clientMetrics(registries.Broker, 'kcp_broker');
  clientMetrics(registries.Provisioner, 'kcp_provisioner');
  await using broker = await startApi({ api: { metrics: registries.Broker }, withRealSteps: true });
  const { landscape } = broker;
  await using _provisioner = await startProvisioner({ landscape, metrics: registries.Provisioner });
  const sections = Object.entries(registries).flatMap(([service, registry]) => [
    `## ${service}`,
    ['| name | type | labels | meaning |', '| --- | --- | --- | --- |', ...linesOf(registry)].join(
      '\n',
    ),
  ]);
  return format([introduction, ...sections].join('\n\n'), { parser: 'markdown' });
}

const linesOf = (registry: Registry): string[] =>
  (registry.getMetricsAsArray() as unknown as Registered[]) // its types leave the names of labels out
    .filter(({ name }) => !/^(?:process|nodejs)_/.test(name))
    .toSorted((one, other) => (one.name < other.name ? -1 : 1))
    .map(({ name, type, labelNames, help }) => {
      const labels = labelNames.map((label) => `\`${label}\``).join(', ');
      return `| \`${name}\` | ${type} | ${labels} | ${help} |`;
    });
