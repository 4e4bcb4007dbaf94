import { exponentialBuckets, linearBuckets } from 'prom-client';

/** A metric as the founding documents name it. Dashboards and alerts are made of these names, types and labels. */
export type DocumentedMetric = {
  readonly name: string;
  readonly type: 'gauge' | 'counter' | 'histogram';
  readonly labels: readonly string[];
  readonly buckets?: readonly number[];
};

const ids = ['operation_id', 'instance_id', 'global_account_id', 'plan_id'];
const errors = ['error_category', 'error_reason'];

const metrics = (
  type: DocumentedMetric['type'],
  names: readonly string[],
  labels: readonly string[] = [],
  buckets?: readonly number[],
): DocumentedMetric[] => names.map((name) => ({ name, type, labels, ...(buckets && { buckets }) }));

const each = (pattern: string, ...words: readonly (readonly string[])[]): string[] =>
  words.reduce<string[]>(
    (names, alternatives) =>
      names.flatMap((name) => alternatives.map((word) => name.replace('*', word))),
    [pattern],
  );

const of2023: readonly DocumentedMetric[] = [
  metrics('gauge', ['instances_total']),
  metrics('gauge', ['global_account_id_instances_total'], ['global_account_id']),
  metrics('gauge', ['ers_context_license_type_total'], ['license_type']),
  metrics(
    'gauge',
    each(
      'operations_*_*_total',
      ['provisioning', 'deprovisioning'],
      ['failed', 'in_progress', 'succeeded'],
    ),
    ['plan_id'],
  ),
  metrics('histogram', ['provisioning_duration_minutes'], ids, linearBuckets(20, 2, 40)),
  metrics('histogram', ['deprovisioning_duration_minutes'], ids, linearBuckets(1, 1, 30)),
  metrics('gauge', ['provisioning_result', 'deprovisioning_result'], [...ids, ...errors]),
  metrics('gauge', ['upgrade_kyma_result', 'upgrade_cluster_result'], ids),
  metrics(
    'gauge',
    ['provisioning_step_result', 'deprovisioning_step_result'],
    [...ids, 'step_name'],
  ),
  metrics('gauge', ['operation_result'], [...ids, 'type', 'state', ...errors]),
].flat();

const of2026: readonly DocumentedMetric[] = [
  metrics('gauge', ['instances_total', 'minutes_since_earliest_binding_expiration']),
  metrics('gauge', ['global_account_id_instances_total'], ['global_account_id']),
  metrics('gauge', ['sub_account_id_instances_total'], ['sub_account_id']),
  metrics('gauge', ['ers_context_license_type_total'], ['license_type']),
  metrics('gauge', ['instance_empty_updates_total', 'instance_updates_total'], ['instance_id']),
  metrics(
    'counter',
    each(
      'operations_*_*_total',
      ['provisioning', 'deprovisioning', 'updating'],
      ['failed', 'succeeded'],
    ),
    ['plan_id'],
  ),
  metrics(
    'gauge',
    each('operations_*_in_progress_total', ['provisioning', 'deprovisioning', 'updating']),
    ['plan_id'],
  ),
  metrics(
    'histogram',
    each('*_duration_minutes', ['provisioning', 'deprovisioning']),
    ['plan_id'],
    linearBuckets(6, 2, 58),
  ),
  metrics(
    'histogram',
    each('*_step_duration_seconds', ['provisioning', 'update', 'deprovisioning']),
    ['plan_id', 'step_name'],
    exponentialBuckets(0.001, 2, 20),
  ),
  metrics(
    'gauge',
    ['operation_result'],
    [...ids, 'runtime_id', 'shoot', 'type', 'state', ...errors, 'error', 'provider'],
  ),
  metrics(
    'histogram',
    each('*_duration_millisecond', ['bind', 'unbind']),
    [],
    linearBuckets(50, 200, 15),
  ),
  metrics('counter', ['binding_created_total'], ['plan_id']),
  metrics(
    'gauge',
    ['instances_per_credentials_binding'],
    ['credentials_binding', 'global_account_id'],
  ),
  metrics('gauge', each('*_credentials_bindings', ['available', 'dirty', 'shared']), [
    'hyperscaler_type',
  ]),
  metrics('gauge', ['claimed_credentials_bindings'], ['hyperscaler_type', 'tenant_name']),
  metrics('gauge', ['queue_depth', 'queue_workers_in_use'], ['queue_name']),
].flat();

const prefixed = (prefix: string, all: readonly DocumentedMetric[]) =>
  all.map((metric) => ({ ...metric, name: prefix + metric.name }));

export const documentedMetrics: readonly DocumentedMetric[] = [
  ...prefixed('compass_keb_', of2023),
  ...prefixed('kcp_keb_v2_', of2026),
  ...metrics('gauge', ['reconciled_secrets'], ['shoot', 'state']),
];
