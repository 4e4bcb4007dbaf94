import { Gauge, type Registry } from 'prom-client';

/** What dashboards of this broker's kind know its metrics by: those of 2023, and those of today. */
export const older = 'compass_keb_';
export const newer = 'kcp_keb_v2_';

// More accounts than that are of no use on a dashboard, and each is a line for every scrape.
export const mostLabels = 2_000;

/** A gauge under both names. */
export function bothGauges<const Label extends string>(
  registry: Registry,
  name: string,
  help: string,
  ...labelNames: Label[]
) {
  const both = [older, newer].map(
    (prefix) => new Gauge({ name: prefix + name, help, labelNames, registers: [registry] }),
  );
  return {
    reset: () => both.forEach((each) => each.reset()),
    set: (labels: Partial<Record<Label, string>>, value: number) =>
      both.forEach((each) => each.set(labels, value)),
  };
}
