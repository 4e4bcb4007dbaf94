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

Names that begin with \`compass_keb_\` and \`kcp_keb_v2_\`, and \`reconciled_secrets\`, are those that dashboards of this broker's kind
know; the others are our own. Counters, histograms and what says _this process_ are of one replica: sum them up. All other
gauges are counted in the database, and every replica tells the same: take one of them, or the maximum. Breakers are each
replica's own. Lists by account, instance, operation or step are cut off at their largest or newest entries.

Accounts at hyperscalers (\`…_credentials_bindings\`) are counted by each replica, every three minutes while somebody asks for
metrics, and told from the next time on; while Gardener cannot be asked they are left out, and the log says so once. Queues are
types of operations: their depth is what is due and waits for a worker, not what waits for another system.
`;

export type RegisteredMetric = {
  readonly name: string;
  readonly help: string;
  readonly type: string;
  readonly labelNames: readonly string[];
  /** Of a histogram: where its buckets end. */
  readonly upperBounds?: readonly number[];
};

/** By service, and by name in each. */
export type RegisteredMetrics = Readonly<
  Record<'Broker' | 'Provisioner', readonly RegisteredMetric[]>
>;

/** What both services serve, besides what their processes tell. */
export async function registeredMetrics(): Promise<RegisteredMetrics> {
  const registries = { Broker: new Registry(), Provisioner: new Registry() };
  clientMetrics(registries.Broker, 'kcp_broker');
  clientMetrics(registries.Provisioner, 'kcp_provisioner');
  await using broker = await startApi({ api: { metrics: registries.Broker }, withRealSteps: true });
  const { landscape } = broker;
  await using _provisioner = await startProvisioner({ landscape, metrics: registries.Provisioner });
  return { Broker: metricsIn(registries.Broker), Provisioner: metricsIn(registries.Provisioner) };
}

const metricsIn = (registry: Registry): RegisteredMetric[] =>
  (registry.getMetricsAsArray() as unknown as RegisteredMetric[]) // its types leave the names of labels out
    .filter(({ name }) => !/^(?:process|nodejs)_/.test(name))
    .toSorted((one, other) => (one.name < other.name ? -1 : 1));

/** docs/metrics.md as it should be. */
export const metricsTable = (registered: RegisteredMetrics): Promise<string> => {
  const sections = Object.entries(registered).flatMap(([service, metrics]) => [
    `## ${service}`,
    ['| name | type | labels | meaning |', '| --- | --- | --- | --- |', ...metrics.map(line)].join(
      '\n',
    ),
  ]);
  return format([introduction, ...sections].join('\n\n'), { parser: 'markdown' });
};

const line = ({ name, type, labelNames, help }: RegisteredMetric): string => {
  const labels = labelNames.map((label) => `\`${label}\``).join(', ');
  return `| \`${name}\` | ${type} | ${labels} | ${help} |`;
};
